"""Sums over groups of rows without sorting them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope import _native
from stepscope.model.profile import Float64, Int32, Int64

_LARGEST_TABLE = 1 << 26


@dataclass(frozen=True, slots=True)
class Grouped:
    """A group number, 0 to groups - 1, for every row; no group is empty."""

    code: Int32
    groups: int

    def members(self, values: Int64) -> list[Int64]:
        """The values of each group, in the order of the rows."""
        small = self.code.astype(np.uint16 if self.groups <= 1 << 16 else np.int32)  # which is sorted in one pass
        return np.split(values[np.argsort(small, kind="stable")], np.cumsum(self.counts())[:-1])

    def counts(self) -> Int64:
        """Rows of each group."""
        return np.bincount(self.code, minlength=self.groups).astype(np.int64)

    def sums(self, values: Int64) -> Int64:
        """Exact sums of whole numbers."""
        return self.totals(values)[0]

    def totals(self, values: Int64) -> tuple[Int64, Int64, Int64]:
        """Sum, smallest and largest of each group."""
        return _native.group_totals(self.code, np.ascontiguousarray(values, np.int64), self.groups)

    def float_sums(self, values: Float64) -> Float64:
        """Sums of each group."""
        return _native.group_sums(self.code, np.ascontiguousarray(values, np.float64), self.groups)

    def largest(self, values: Int64) -> Int64:
        """The place of each group's largest value, of equal ones the last."""
        return _native.group_largest(self.code, np.ascontiguousarray(values, np.int64), self.groups)

    def distinct(self, values: Int64) -> Int64:
        """How many different values each group has."""
        return _native.group_distinct(self.code, np.ascontiguousarray(values, np.int64), self.groups)

    def firsts(self) -> Int64:
        """The place of the first row of each group."""
        return _native.group_firsts(self.code, self.groups)


def dense_codes(code: Int64, space: int) -> Grouped:
    """Groups of equal codes, all in [0, space), numbered without gaps in the order of the codes."""
    if space > _LARGEST_TABLE:
        _, inverse = np.unique(code, return_inverse=True)
        return Grouped(inverse.astype(np.int32), int(inverse.max()) + 1 if len(inverse) else 0)
    return Grouped(*_native.dense_codes(np.ascontiguousarray(code, np.int64), space))
