"""What-if of a session: today's step, the changes with an effect, and the step after those that are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from session.drawn_sessions import drawn
from stepscope.analyses.what_if.prediction import STEADY
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.whatif import WHATIF, WhatIf, WhatIfWanted
from stepscope.session.what_if import MOST_CHANGES

HOST_ALONE = """
    main     1111111111222222222233333333334444444444
    main     iiioooooooiiioooooooiiioooooooiiiooooooo
"""


def answer(session: AnalysedSession, **wanted: Any) -> WhatIf:
    return WHATIF.make(session, WhatIfWanted(**wanted))


def test_without_a_change_there_is_today_s_step_and_what_could_change_it() -> None:
    found = answer(drawn())
    assert (found.typical_ms, found.baseline_ms, found.unprofiled_ms) == (10, 10, None)
    assert (found.model, found.serial, found.refused) == ("replay", False, None)
    assert (found.each, found.together, found.predicted_ms) == ([], None, None)
    alone = {change.name: change.alone.predicted_ms for change in found.changes}
    assert alone["input"].low == pytest.approx(7, abs=0.2)
    assert "gc" not in alone, "nothing is collected here"


def test_changes_come_one_after_the_other_and_together() -> None:
    found = answer(drawn(), changes="input=0, kernels=2x")
    assert [row.change for row in found.each] == ["input=0", "kernels=2x"]
    first, second = found.each
    assert first.baseline_ms == pytest.approx(10)
    assert second.baseline_ms == pytest.approx(7, abs=0.2), "what is done already is not gained again"
    assert found.together is not None
    assert found.together.predicted_ms == found.predicted_ms
    assert found.together.predicted_ms.low == pytest.approx(4, abs=0.5)


def test_without_a_device_the_serial_model_answers() -> None:
    found = answer(drawn(HOST_ALONE), changes="input=0")
    assert (found.serial, found.replay_ms) == (True, None)
    assert found.predicted_ms is not None
    assert found.predicted_ms.low == pytest.approx(7 - 10 * STEADY, abs=0.1)


def test_a_step_without_the_profiler_is_where_estimates_start() -> None:
    found = answer(drawn(), step_ms=8.0)
    assert (found.typical_ms, found.unprofiled_ms, found.baseline_ms) == (10, 8.0, 8.0)
    assert found.inflation == pytest.approx(0.25)


@pytest.mark.parametrize("changes", ["nothing=0", "input=-1", "input=a", ",".join(["input=0"] * (MOST_CHANGES + 1))])
def test_what_is_no_change_is_refused(changes: str) -> None:
    with pytest.raises(BadInput):
        answer(drawn(), changes=changes)
