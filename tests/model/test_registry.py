"""Members of a list are found by the names of their modules."""

from __future__ import annotations

import pytest

from stepscope.model.registry import member


def test_a_member_is_the_object_of_its_module() -> None:
    assert member("math", "pi", float) == pytest.approx(3.14159, abs=1e-5)
    assert member("math", "pi", (int, float)) == member("math", "pi", float)


def test_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"math\.pi is a float"):
        member("math", "pi", str)
