"""Profiles with absurd values or damaged bytes are answered for, or refused with a sentence; nothing else is ever raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostile.answers import ask_everything
from hostile.mutations import good_files, mutated

SHORT, LONG = 20, 1_600
"""Mutations of each file in `make test` and in `make soak`."""

every_file = pytest.mark.parametrize("name", good_files())


def ask_about_mutations(name: str, seeds: range, folder: Path) -> int:
    """How many of them answered anything; a finding names the seed."""
    path = folder / "rank0"
    answered = 0
    for seed in seeds:
        path.write_bytes(mutated(name, seed))
        try:
            answered += bool(ask_everything(path))
        except Exception as problem:
            problem.add_note(f"mutation {seed} of {name}")
            raise
    return answered


@every_file
def test_the_good_file_answers(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rank0"
    path.write_bytes(good_files()[name])
    answered = ask_everything(path)
    assert "memory" in answered or "report" in answered


@pytest.mark.slow
@every_file
@pytest.mark.filterwarnings("error")
def test_a_mutated_file_is_no_surprise(name: str, tmp_path: Path) -> None:
    assert ask_about_mutations(name, range(SHORT), tmp_path) > 0


@pytest.mark.soak
@every_file
@pytest.mark.filterwarnings("error")
def test_many_mutated_files_are_no_surprise(name: str, tmp_path: Path) -> None:
    assert ask_about_mutations(name, range(SHORT, LONG), tmp_path) > 0
