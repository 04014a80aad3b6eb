"""Reads a drawn file as users do, and says in the words of the table what is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepscope.analyses.session.summary import Summary, summarise
from stepscope.formats.open_profile import read_file, read_ranks, sessions_at
from stepscope.formats.span_attributes import span_attributes
from stepscope.model.profile import Profile
from stepscope.rules.judge import Judgement, judge
from stepscope.rules.rule import Verdict
from wild.cases import Case


@dataclass(frozen=True)
class Found:
    """What was found, beside what it was found by."""

    family: str
    steps: int
    step_ms: float
    device: str
    cause: str
    first: str | None
    fired: tuple[str, ...]
    unknown: tuple[str, ...]
    summary: Summary
    judged: Judgement


def judged_case(case: Case, folder: Path) -> Found:
    """Draws the file into the folder and judges it."""
    return judged_path(case.draw(folder))


def profiles_at(path: Path) -> list[Profile]:
    """The profiles of a file, or of the only session of a folder, ordered by rank."""
    sessions = sessions_at(str(path))
    files = [str(path)] if sessions is None else [file.path for file in sessions[0].files]
    return sorted((rank for file in files for rank in read_ranks(read_file(file))), key=lambda profile: profile.rank)


def judged_path(path: Path) -> Found:
    """The session at a path."""
    summary = summarise(profiles_at(path))
    judged = judge(summary, span_attributes)
    steps = summary.breakdowns[0].steps
    fired = tuple(each.rule for each in judged.of(Verdict.FIRES))
    return Found(
        family=steps.source.family.name.lower(),
        steps=len(steps),
        step_ms=summary.median_ns / 1e6,
        device=summary.device,
        cause=summary.main_loss.cause,
        first=fired[0] if fired else None,
        fired=fired,
        unknown=tuple(each.rule for each in judged.of(Verdict.CANNOT_TELL)),
        summary=summary,
        judged=judged,
    )
