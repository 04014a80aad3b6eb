"""Views that have nothing to show are named, and no others: the same as what the parts themselves answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from sample_files import SAMPLES, needs_samples
from session.drawn_sessions import analysed, drawn
from stepscope.model.profile import Counters, SpanKind
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.parts.counters import COUNTERS
from stepscope.session.parts.memory import MEMORY
from stepscope.session.parts.modules import MODULES
from stepscope.session.report.empty_views import empty_views


def test_a_profile_of_spans_alone_has_none_of_them() -> None:
    assert empty_views(drawn()) == ["memory", "counters", "modules"]


def test_scopes_of_operations_are_modules() -> None:
    line = Timeline()
    line.span("main", 0, MS, SpanKind.OP, "mm", op=line.op("mm", scope="net/dense"))
    assert "modules" not in empty_views(analysed(line.build()))


def test_counters_that_are_no_memory_leave_memory_empty() -> None:
    sample = Counters(np.zeros(1, np.int32), np.zeros(1, np.int64), np.zeros(1))
    assert empty_views(analysed(replace(drawn().profiles[0], counters=sample))) == ["memory", "modules"]


@needs_samples
@pytest.mark.parametrize("name", ["kineto/torch213_ddp_gloo", "xplane/jax_cpu", "xplane/synthetic_cuda", "xplane/tf_keras_fit"])
def test_what_the_parts_answer_agrees(name: str) -> None:
    found = profile_at(str(SAMPLES / name), Opening(cache=False))
    memory = found.answer(MEMORY, MEMORY.wanted())
    planned = found.answer(MEMORY, MEMORY.wanted(programs=True))
    filled = {
        "memory": bool(memory.devices or planned.programs),
        "counters": bool(found.answer(COUNTERS, COUNTERS.wanted()).counters),
        "modules": bool(found.answer(MODULES, MODULES.wanted()).modules),
    }
    assert empty_views(found.analysed(MODULES.wanted())) == [part for part, has in filled.items() if not has]
