"""Every span has the module that called it: by nesting on threads, by its launch on devices, by its forward operation when backward."""

from __future__ import annotations

from dataclasses import replace

from analyses.module_profiles import called
from analyses.timeline import Timeline
from stepscope.analyses.work.module_calls import DEEPEST, ModuleCalls, Path, module_calls
from stepscope.model.profile import Profile, SpanKind


def known(profile: Profile) -> ModuleCalls:
    found = module_calls(profile)
    assert found is not None
    return found


def of_spans(profile: Profile, name: str) -> list[tuple[Path, bool]]:
    """Module of each span of a name, and whether it is of the backward pass."""
    found = known(profile)
    rows = [row for row in range(len(profile.spans)) if profile.names[profile.spans.name[row]] == name]
    return [(found.paths[found.module[row]] if found.module[row] >= 0 else (), bool(found.backward[row])) for row in rows]


NET, LINEAR = ("Net_0",), ("Net_0", "Linear_0")


def test_modules_in_the_order_of_their_first_call() -> None:
    found = known(called())
    assert (found.paths, found.calls) == ([NET, LINEAR], [1, 2])


def test_spans_belong_to_the_module_around_them_or_around_their_launch() -> None:
    profile = called()
    assert of_spans(profile, "nn.Module: Net_0") == [(NET, False)]
    assert of_spans(profile, "aten::linear") == [(LINEAR, False)] * 2
    assert of_spans(profile, "gemm") == [(LINEAR, False), (LINEAR, False), (LINEAR, True)]


def test_a_backward_operation_has_the_module_of_its_forward_operation() -> None:
    assert of_spans(called(), "LinearBackward") == [(LINEAR, True)]
    lost = replace(called(), flows=replace(called().flows, kind=called().flows.kind * 0 - 1))
    assert of_spans(lost, "LinearBackward") == [((), False)]


def test_the_tree_has_an_end() -> None:
    line = Timeline()
    for depth in range(DEEPEST + 10):
        line.span("main", depth, 1_000 - depth, SpanKind.PYTHON, f"nn.Module: M_{depth}")
    found = known(line.build())
    assert max(map(len, found.paths)) == len(found.paths) == DEEPEST
    assert sum(found.calls) == DEEPEST + 10


def test_without_calls_of_modules_there_is_no_answer() -> None:
    assert module_calls(Timeline().draw("main   pp\nmain   o").build()) is None
