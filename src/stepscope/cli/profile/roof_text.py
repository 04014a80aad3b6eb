"""How a terminal's table says what a row achieves of its roof."""

from __future__ import annotations

from typing import Protocol


class UnderRoof(Protocol):
    """A row with a position under the roofline of its device."""

    @property
    def share_of_roof(self) -> float | None: ...

    @property
    def flops_share_of_peak(self) -> float | None: ...

    @property
    def bandwidth_share_of_peak(self) -> float | None: ...

    @property
    def bound_by(self) -> str: ...


def roof_text(row: UnderRoof, mark: str = "") -> str:
    """The share of the lower roof, and which it is; where one roof is unknown, the share of the other in brackets."""
    if row.share_of_roof is not None:
        return f"{100 * row.share_of_roof:.0f}%{mark} {'mem' if row.bound_by == 'memory' else 'comp'}"
    only = [(row.flops_share_of_peak, "comp"), (row.bandwidth_share_of_peak, "mem")]
    return next((f"({100 * share:.0f}%{mark} {name})" for share, name in only if share is not None), "")
