"""Measures loading of logs that real writers wrote: every form of event that is met, for the whole process, beside the data server."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataset import KEPT, STANDARD, Shape
from loading import data_server_binary, inspect, median, rust_server
from write_form import WRITERS

HERE = Path(__file__).resolve().parent
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


@dataclass(frozen=True, slots=True)
class Form:
    """A log that a real writer writes: which one, and how many runs, tags and steps."""

    name: str
    writer: str
    shape: Shape


FORMS = (
    *(Form(writer, writer, STANDARD) for writer in WRITERS),
    Form("many_tags", "torch", Shape(20, 1_000, 100)),
    Form("many_files", "torch", Shape(2_000, 10, 100)),
)
"""Two million points each."""


def make(form: Form, peers: str) -> Path:
    """One run written by the real writer, and copies of it as the other runs; made once, complete or not there at all."""
    shape = form.shape
    folder = KEPT / f"form-{form.writer}-{shape.name}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    first = draft / "run00"
    command = [peers, str(HERE / "write_form.py"), form.writer, str(first), str(shape.tags), str(shape.steps)]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | _QUIET)
    for run in range(1, shape.runs):
        shutil.copytree(first, draft / f"run{run:02}")
    draft.rename(folder)
    return folder


def measure(peers: str, rounds: int) -> list[dict[str, Any]]:
    """Both in turn, so that a busy moment hits both; medians."""
    binary = data_server_binary(peers)
    rows: list[dict[str, Any]] = []
    for form in FORMS:
        folder = make(form, peers)
        ours: list[tuple[float, float]] = []
        theirs: list[tuple[float, float]] = []
        points = 0
        for _ in range(rounds):
            whole, report = inspect(folder)
            points = report["points"]
            assert points >= form.shape.events, f"{points} of {form.shape.events} points of {form.name} were read"
            ours.append((whole, report["load_seconds"]))
            theirs.append(rust_server(binary, folder))
        sides = {"stepscope": ours, "data_server": theirs}
        times = {who: {"process_seconds": median(each, 0), "load_seconds": median(each, 1)} for who, each in sides.items()}
        rows.append(
            {
                "form": form.name,
                "runs": form.shape.runs,
                "tags": form.shape.tags,
                "points": points,
                "bytes": sum(path.stat().st_size for path in folder.rglob("*tfevents*")),
                "rounds": rounds,
                **times,
                **{
                    f"times_faster_{what}": times["data_server"][f"{what}_seconds"] / times["stepscope"][f"{what}_seconds"]
                    for what in ("load", "process")
                },
            }
        )
    return rows
