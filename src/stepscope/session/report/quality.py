"""What is known of the data behind the numbers: facts as values, and sentences for the foot of a report."""

from __future__ import annotations

from stepscope.analyses.session.summary import Summary
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.prediction import MUCH_INFLATION
from stepscope.model import declared as d
from stepscope.rules.judge import Judgement
from stepscope.rules.rule import Verdict
from stepscope.session.report.columns import DataQualityRow, NoteRow

_RANKS_NAMED = 8


def data_quality_row(summary: Summary, judged: Judgement) -> DataQualityRow:
    """Of a session and its judgement."""
    quality = summary.quality
    return d.fill(
        DataQualityRow,
        quality,
        first_step_unlike=bool(summary.first_step_note),
        cut_short=bool(quality.cut_short),
        notes=_notes(summary, judged),
    )


def _notes(summary: Summary, judged: Judgement) -> list[NoteRow]:
    quality = summary.quality
    notes = [_note("warning", "weak", text) for text in judged.doubts]
    if quality.missing_ranks:
        listed = ", ".join(map(str, quality.missing_ranks[:_RANKS_NAMED])) + (" …" if len(quality.missing_ranks) > _RANKS_NAMED else "")
        whole = len(quality.ranks) + len(quality.missing_ranks)
        notes.append(_note("warning", "missing_ranks", f"{len(quality.missing_ranks)} of {whole} ranks have no file: {listed}."))
    notes += [_note(note.level, note.code, note.text) for note in quality.notes]
    if quality.device_spans and not quality.unlinked:
        notes.append(_note("info", "linked", "All device work is linked to its launch."))
    if summary.first_step_note:
        notes.append(_note("info", "first_step", summary.first_step_note))
    if summary.startup_note:
        notes.append(_note("info", "startup", summary.startup_note))
    if quality.clock_error_ns is not None:
        notes.append(_note("info", "clocks", f"The ranks' clocks agree within {milliseconds(quality.clock_error_ns)}."))
    if float(summary.parts[TimeClass.COMM]) > 0 and not any(summary.collected.splits):
        notes.append(_note("info", "not_split", f"Communication includes waiting for other ranks ({summary.collected.text})."))
    if judged.replay_error is not None:
        error = max(0.1, 100 * abs(judged.replay_error))
        notes.append(_note("info", "replay", f"A replay of the unchanged profile agrees with it within {error:.1f}%."))
    notes.append(_inflation(judged.inflation))
    options = dict.fromkeys(each.option for each in judged.of(Verdict.CANNOT_TELL))
    return [*notes, *(_note("info", "option", text) for text in options)]


def _inflation(found: float | None) -> NoteRow:
    if found is None:
        text = "The profiler's overhead is unknown: log the time of every step as step_time."
        return _note("info", "inflation", text)
    if found <= 0:
        return _note("info", "inflation", "Profiled steps are as fast as the others of the run.")
    text = f"Profiled steps are {100 * found:.0f}% slower than the others of the run; gains are estimated from the others."
    return _note("warning" if found > MUCH_INFLATION else "info", "inflation", text)


def _note(level: str, code: str, text: str) -> NoteRow:
    return NoteRow(level=level, code=code, text=text)
