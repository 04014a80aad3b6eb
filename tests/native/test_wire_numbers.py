"""The numbers declared once in the native core are those of the real protobuf descriptors, of Python and of these tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from stepscope._native import WIRE
from stepscope.model.kinds import Kind

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native"


@pytest.mark.peers
def test_field_numbers_are_the_real_ones(run_in_peers: Callable[..., Any]) -> None:
    real = run_in_peers(HERE / "wire_descriptors.py")
    assert set(WIRE) == set(real["fields"])
    for message, fields in WIRE.items():
        assert fields == {name: real["fields"][message].get(name) for name in fields}, message
    ours = {name: number for name, number in vars(eb).items() if f"DT_{name}" in real["types"]}
    assert len(ours) == 22
    assert ours == {name: real["types"][f"DT_{name}"] for name in ours}


def test_kinds_are_the_native_ones() -> None:
    declared = re.search(r"enum class Kind : uint8_t \{(.*?)\}", (NATIVE / "columns.hpp").read_text(), re.DOTALL)
    assert declared
    numbers = {name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", declared.group(1))}
    assert numbers == {kind.label: kind.value for kind in Kind}
