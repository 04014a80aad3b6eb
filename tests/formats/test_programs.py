"""Programs and memory plans come from the format that a profile names, through the registry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepscope.formats import all_formats
from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file
from stepscope.formats.programs import read_plans, read_programs
from stepscope.model.profile import Note, Profile, Program

CAPTURES = Path(__file__).parent / "xplane" / "captures"


def test_the_format_that_a_profile_names_reads_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def answer(profile: Profile, limits: Limits) -> tuple[list[Any], list[Note]]:
        asked.append((profile.path, limits.bytes))
        return [], []

    profile = replace(read_file(str(_capture())), format="scratch", programs=[Program("p", 0, 0, 1)])
    assert (read_programs(profile), read_plans(profile)) == (([], []), ([], []))
    made = replace(all_formats.PROFILE_FORMATS[0], id="scratch", read_programs=answer, read_plans=answer)
    monkeypatch.setattr(all_formats, "PROFILE_FORMATS", (*all_formats.PROFILE_FORMATS, made))
    read_programs(profile, Limits(bytes=7))
    read_plans(profile)
    assert asked == [(profile.path, 7), (profile.path, Limits().bytes)]


def test_formats_without_programs_have_none() -> None:
    profile = replace(read_file(str(_capture())), format="kineto")
    assert read_programs(profile) == ([], [])
    assert read_plans(profile) == ([], [])


def _capture() -> Path:
    return next(path for path in sorted(CAPTURES.rglob("*.xplane.pb*")))
