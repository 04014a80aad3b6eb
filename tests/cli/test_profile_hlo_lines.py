"""Lines of `stepscope profile hlo`: rows with their rates, a tree by indentation, and what is around an operation."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from stepscope.cli.profile.hlo_lines import neighbour_lines, table_lines, tree_lines
from stepscope.session.parts.hlo import Hlo, HloRow, HloTree, HloTreeNode
from stepscope.session.parts.hlo_op import HloNeighbour, HloNeighbourhood

EMPTY = {
    msgspec.inspect.StrType: "",
    msgspec.inspect.IntType: 0,
    msgspec.inspect.FloatType: 0.0,
    msgspec.inspect.BoolType: False,
    msgspec.inspect.ListType: (),
}


def filled(kind: type[Any], **known: object) -> Any:
    """A row in which everything that is not given is empty, 0 or null."""
    declared = msgspec.inspect.type_info(kind)
    assert isinstance(declared, msgspec.inspect.StructType)
    values = dict(known)
    for field in declared.fields:
        plain = field.type.type if isinstance(field.type, msgspec.inspect.Metadata) else field.type
        values.setdefault(field.name, EMPTY.get(type(plain)))
    return kind(**values)


def answer(rows: list[HloRow], **more: object) -> Hlo:
    return filled(Hlo, rows=rows, programs=[object()], **more)


def cells(lines: list[str]) -> list[list[str]]:
    return [re.split(r" {2,}", line.strip()) for line in lines]


def test_a_row_has_its_time_share_and_rates() -> None:
    row = filled(
        HloRow,
        name="fusion.1",
        category="convolution fusion",
        opcode="fusion",
        count=1_234,
        self_us=5_000.0,
        share=0.25,
        flops_per_second=2e12,
        bytes_per_second=3e9,
        bound_by="communication",
    )
    found = cells(list(table_lines(answer([row]))))
    assert found[1] == ["fusion.1", "conv fusion", "1,234", "5.00", "25.0%", "2,000", "3.00", "comm"]


def test_what_exceeds_a_peak_or_is_computed_again_is_marked() -> None:
    rows = [filled(HloRow, name="dot", implausible_peak=True, bound_by="compute"), filled(HloRow, name="dot.2", rematerialised=True)]
    lines = list(table_lines(answer(rows)))
    assert lines[1].endswith("compute !")
    assert lines[2].startswith("dot.2 (remat)")
    assert lines[3].startswith("!")


def test_of_many_rows_the_rest_is_counted_and_notes_wrap() -> None:
    rows = [filled(HloRow, name=f"dot.{place}" * 12) for place in range(45)]
    lines = list(table_lines(answer(rows, notes=["It is cut. " * 20])))
    assert "5" in re.findall(r"\d+", lines[41])
    assert max(map(len, lines)) <= 80
    assert lines[42] == ""


def test_no_rows_are_one_line_that_depends_on_the_programs() -> None:
    (none,) = table_lines(answer([]))
    (without,) = table_lines(filled(Hlo, rows=[], programs=[]))
    assert none != without


@pytest.mark.parametrize(
    ("flops", "text"), [(None, ""), (12.0, "12"), (1_500.0, "1.50 k"), (23e6, "23.0 M"), (999e9, "999 G"), (2e15, "2.00 P")]
)
def test_a_tree_is_indented_and_counts_arithmetic(flops: float | None, text: str) -> None:
    nodes = [
        filled(HloTreeNode, name="jit_step", time_us=4_000.0, share=1.0),
        filled(HloTreeNode, name="dot", depth=1, flops=flops, bound_by="memory"),
    ]
    _, first, second = tree_lines(filled(HloTree, nodes=nodes, notes=[]))
    assert cells([first])[0][:3] == ["jit_step", "4.00", "100.0%"]
    assert second.startswith("  dot ")
    assert cells([second])[0][1:-1] == ([text] if text else [])


def test_operands_are_above_users_and_farther_ones_deeper() -> None:
    nodes = [
        filled(HloNeighbour, name=name, shape="f32[2]", opcode="add", distance=distance)
        for name, distance in (("a", -1), ("b", -2), ("self", 0), ("c", 1))
    ]
    lines = list(neighbour_lines(filled(HloNeighbourhood, nodes=nodes, cut=True)))
    assert lines[1:3] == ["  a = f32[2] add", "    b = f32[2] add"]
    assert lines[4] == "  c = f32[2] add"
    assert len(lines) == 6
    assert len(list(neighbour_lines(filled(HloNeighbourhood, nodes=nodes[:2])))) == 4
