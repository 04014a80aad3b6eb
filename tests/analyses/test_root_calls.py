"""A loop's body is found by the call that is repeated at the top of a thread."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.root_calls import find_root_calls
from stepscope.model.profile import SpanKind


def starts(picture: str, **names: str) -> list[float] | None:
    profile = Timeline().draw(picture, **names).build()
    found = find_root_calls(profile)
    return None if found is None else (profile.spans.start[found.rows] / MS).tolist()


def test_a_call_that_takes_most_of_the_thread_is_the_loop() -> None:
    assert starts("main   ffff.ffff.ffff.o", f="train_step") == [0, 5, 10]
    assert starts("main   ffff.ffff.oooo", f="train_step") is None, "twice is no loop"
    assert starts("main   fxxxxfnnnnfcccc", f="train_step") is None, "most of the time is elsewhere"
    assert starts("main   oooo.oooo.oooo", o="matmul") is None, "operations are repeated everywhere"


def test_a_main_function_around_the_loop_is_looked_into() -> None:
    assert starts("main   pppppppppppppppp\nmain   .ffff.ffff.ffff.", p="train.py(1): main", f="train_step") == [1, 6, 11]


def test_layers_inside_one_pass_are_no_loop() -> None:
    assert starts("main   pppppppppppppppp\nmain   .ffff.ffff.ffff.", p="nn.Module: Net_0", f="layer") is None


@pytest.mark.parametrize("track", ["loader 1", "pool 1", "network", "backward"])
def test_threads_that_cannot_run_the_loop_are_not_asked(track: str) -> None:
    assert starts(f"{track}   ffff.ffff.ffff", f="fetch") is None


def test_of_several_threads_the_one_with_most_time_counts_and_overlaps_are_left_out() -> None:
    line = Timeline()
    for step in range(3):
        line.span("main", step * 10 * MS, (step * 10 + 9) * MS, SpanKind.FRAMEWORK, "long")
        line.span("other", step * 10 * MS, (step * 10 + 2) * MS, SpanKind.FRAMEWORK, "short")
    line.span("main", 28 * MS, 35 * MS, SpanKind.FRAMEWORK, "long")
    profile = line.build()
    found = find_root_calls(profile)
    assert found is not None
    assert (found.name, profile.tracks[found.track].name, len(found.rows)) == ("long", "main", 3)
