"""Tables that formats share: `collective_names`, `input_phase_names`, `kind_rows` and `integer_columns`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from stepscope._native import listed_rules
from stepscope.formats.collective_names import COLLECTIVE_NAMES
from stepscope.formats.input_phase_names import PHASE_NAMES, input_phase
from stepscope.formats.integer_columns import integer_columns
from stepscope.formats.kind_rows import native_rows, pattern_of


def first_name(text: str) -> str | None:
    return next((name for name, spelling in COLLECTIVE_NAMES if spelling in text), None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nccldevkernel_reducescatter_sum_f32", "reduce_scatter"),
        ("nccldevkernel_allreduce_sum_f32", "allreduce"),
        ("void vllm::cross_device_reduce_1stage", "allreduce"),
        ("c10d::_allgather_base_", "allgather"),
        ("nccldevkernel_sendrecv", "sendrecv"),
        ("c10d::recv_", "recv"),
        ("ncclkernel_reduce_sum", "reduce"),
        ("gemm", None),
    ],
)
def test_the_longest_spelling_decides(text: str, name: str | None) -> None:
    assert first_name(text) == name


def test_no_spelling_hides_a_longer_one_of_another_kind() -> None:
    for place, (name, spelling) in enumerate(COLLECTIVE_NAMES):
        hidden = [other for other, longer in COLLECTIVE_NAMES[place + 1 :] if spelling in longer and other != name]
        assert hidden == [], (name, spelling)


@pytest.mark.parametrize(
    ("span", "phase"),
    [
        ("torch/utils/data/_utils/collate.py(127): collate", (0, "collate")),
        ("Iterator::Root::Prefetch::BatchV2", (2, "collate")),
        ("PIL/Image.py(900): convert", (1, "decode")),
        ("<built-in function open>", (1, "read")),
        ("Iterator::Root::ParallelMapV2", (2, "transform")),
        ("aten::stack", (0, "collate")),
        ("aten::mul", (3, "transform")),
        ("dataset.py(8): __getitem__", (2, "own_code")),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", (4, "upstream")),
        ("train_step", None),
    ],
)
def test_names_tell_phases_of_preparing_a_batch(span: str, phase: tuple[int, str] | None) -> None:
    assert input_phase(span) == phase


def test_ranks_of_phases_are_in_order() -> None:
    ranks = [rank for rank, _, _ in PHASE_NAMES]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(
    ("match", "text", "pattern"),
    [
        ("exact", "step", "step"),
        ("prefix", "cuda", "cuda*"),
        ("suffix", "Kernel", "*Kernel"),
        ("contains", "nccl", "*nccl*"),
        ("call", "hip", "hip[A-Z]*"),
        ("frame", "loader.py next batch", "$loader.py:* next batch"),
    ],
)
def test_a_rule_is_shown_as_one_pattern(match: str, text: str, pattern: str) -> None:
    assert pattern_of(match, text) == pattern


def test_the_cores_rules_of_a_format_are_listed_and_no_others() -> None:
    class Titles(dict[str, str]):
        def __missing__(self, table: str) -> str:
            return f"table {table}"

    formats = Counter(of_format for of_format, *_ in listed_rules())
    assert len(formats) > 1
    for each, count in formats.items():
        rows = list(native_rows(each, "a title", Titles()))
        assert (len(rows), {(row.origin, row.yours) for row in rows}) == (count, {("a title", False)})
        assert all(row.held_against.startswith("table ") for row in rows)
    assert list(native_rows("no such format", "", {})) == []


def test_rows_of_numbers_become_columns_of_their_types() -> None:
    first, second = integer_columns([(1, -2), (3, 1 << 40)], [np.int8, np.int64])
    assert (first.dtype, first.tolist(), second.dtype, second.tolist()) == (np.int8, [1, 3], np.int64, [-2, 1 << 40])
    assert all(column.flags["C_CONTIGUOUS"] for column in (first, second))
    assert [column.shape for column in integer_columns([], [np.int8, np.int64])] == [(0,), (0,)]
