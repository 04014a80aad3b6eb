"""Operations that a program marks: their names and types in an XSpace, and shapes of any framework's arrays."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from stepscope.capture.profilers.inputs import shape_and_type, traced_operation


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my_op", "my_op:MyOp"),
        ("scope/fused attention", "scope/fused_attention:FusedAttention"),
        ("2d", "2d:Op2d"),
        ("", ":Op"),
        ("a:b", "a_b:AB"),
        ("größe", "größe:GrE"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert traced_operation(name, [])[0] == expected


def test_shapes_of_all_inputs() -> None:
    assert traced_operation("op", [np.zeros((2, 3)), 5])[1] == {"shape": "[2,3];[]"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros((2, 3), np.float32), ("[2,3]", "float")),
        (np.zeros((), np.int64), ("[]", "long int")),
        (SimpleNamespace(shape=(4,), dtype="torch.bfloat16"), ("[4]", "c10::BFloat16")),
        (SimpleNamespace(shape=(None, 3), dtype=SimpleNamespace(name="float16")), ("[]", "c10::Half")),
        ("text", ("[]", "str")),
        (7, ("[]", "int")),
    ],
)
def test_shapes_and_types(value: object, expected: tuple[str, str]) -> None:
    assert shape_and_type(value) == expected
