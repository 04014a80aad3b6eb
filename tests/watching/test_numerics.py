"""Where NaN and infinities appear first, with a probe that sees what a test says."""

from __future__ import annotations

import math

import pytest

from stepscope.watching.numerics import Finding, NumericsWatch, Sight, watch_numerics


class Seen:
    """A probe; `next` is what it hands out next."""

    def __init__(self) -> None:
        self.next: list[Sight] = []
        self.active: list[bool] = []
        self.removed = 0

    def collect(self) -> list[Sight]:
        found, self.next = self.next, []
        return found

    def set_active(self, active: bool) -> None:
        self.active.append(active)

    def refresh(self) -> None:
        """Nothing to look for."""

    def remove(self) -> None:
        self.removed += 1


class Kept:
    """A writer that keeps what it is given."""

    def __init__(self) -> None:
        self.scalars: list[tuple[str, float, int]] = []
        self.events = 0

    def put_scalar(self, tag: str, value: float, step: int) -> None:
        self.scalars.append((tag, value, step))

    def put_event(self, work: object) -> None:
        self.events += 1


def bad(layer: str, largest: float = math.nan) -> Sight:
    return Sight(layer, "activations", largest)


def test_the_first_layer_is_named_and_each_only_once() -> None:
    probe = Seen()
    watch = NumericsWatch(probe, None, 1)
    assert (watch.check(), watch.first) == ([], None)
    probe.next = [bad("conv", 3.0), bad("norm", math.inf), bad("head")]
    assert watch.check() == [Finding("norm", "activations", "Inf", 1), Finding("head", "activations", "NaN", 1)]
    probe.next = [bad("norm"), Sight("norm", "gradients", math.nan)]
    assert watch.check() == [Finding("norm", "gradients", "NaN", 2)]
    assert watch.first == Finding("norm", "activations", "Inf", 1)
    assert len(watch.findings) == 3


def test_only_every_nth_step_is_looked_at() -> None:
    probe = Seen()
    watch = NumericsWatch(probe, None, 3)
    for step in range(4):
        probe.next = [bad(f"layer {step}")]
        watch.check(step)
    assert [finding.step for finding in watch.findings] == [0, 3]
    assert probe.active == [False, False, True, False], "it is switched on before the step that counts"


def test_counts_and_a_table_go_to_the_writer() -> None:
    probe, writer = Seen(), Kept()
    with NumericsWatch(probe, writer, 1) as watch:  # type: ignore[arg-type]
        probe.next = [bad("a"), bad("b"), Sight("a", "gradients", 1.0)]
        watch.check(5)
        assert writer.scalars == [("numerics/layers_with_bad_activations", 2, 5), ("numerics/layers_with_bad_gradients", 0, 5)]
        assert writer.events == 1
    watch.close()
    assert (writer.events, probe.removed) == (2, 1)


def test_what_was_seen_last_counts_although_nobody_checked() -> None:
    probe = Seen()
    watch = NumericsWatch(probe, None, 1)
    watch.check(3)
    probe.next = [bad("late")]
    watch.close()
    assert watch.first == Finding("late", "activations", "NaN", 4)


def test_other_things_than_models_are_refused() -> None:
    with pytest.raises(TypeError):
        watch_numerics([1, 2, 3])
    with pytest.raises(ValueError, match="every"):
        watch_numerics(object(), every=0)
