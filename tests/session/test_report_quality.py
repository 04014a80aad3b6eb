"""Facts about the data behind a report, as values and as notes with a code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import Timeline, timeline
from rules.pictures import two_ranks
from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.session.analysed import AnalysedSession
from stepscope.session.report.columns import DataQualityRow, NoteRow
from stepscope.session.report.quality import data_quality_row


def quality(session: AnalysedSession, inflation: float | None = None) -> DataQualityRow:
    return data_quality_row(session.summary, replace(session.judged(), inflation=inflation))


def coded(row: DataQualityRow) -> dict[str, NoteRow]:
    return {note.code: note for note in row.notes}


def test_steps_and_links_are_counted() -> None:
    row = quality(drawn())
    assert (row.steps, row.typical_steps, row.device_spans, row.unlinked, row.cut_short) == (4, 4, 4, 0, False)
    assert "linked" in coded(row)
    unlinked = Timeline().draw("main   1111222233334444\ngpu 0  KKK.KKK.KKK.KKK.").build()
    row = quality(analysed(unlinked))
    assert (row.device_spans, row.unlinked, "linked" in coded(row)) == (4, 4, False)


def test_ranks_without_a_file_are_named() -> None:
    profile = replace(timeline(INPUT_BOUND), rank=0, world_size=12)
    note = coded(quality(analysed(profile)))["missing_ranks"]
    assert note.level == "warning"
    assert "11 of 12" in note.text
    assert ("8" in note.text, "9" in note.text.split(":")[1]) == (True, False)


def test_clocks_and_waiting_are_known_of_matched_ranks() -> None:
    found = coded(quality(analysed(*two_ranks([(20, 60)] * 5))))
    assert "clocks" in found
    assert "not_split" not in found
    alone = coded(quality(analysed(two_ranks([(20, 60)] * 5)[0])))
    assert ("clocks" in alone, "not_split" in alone) == (False, True)


@pytest.mark.parametrize(
    ("inflation", "level", "number"), [(None, "info", ""), (-0.1, "info", ""), (0.02, "info", "2%"), (1.5, "warning", "150%")]
)
def test_the_profiler_s_overhead_is_a_warning_where_it_is_large(inflation: float | None, level: str, number: str) -> None:
    note = coded(quality(drawn(), inflation))["inflation"]
    assert (note.level, number in note.text) == (level, True)


def test_options_that_would_tell_more_are_said_once() -> None:
    options = [note.text for note in quality(drawn()).notes if note.code == "option"]
    assert options
    assert len(set(options)) == len(options)
