"""The server reads profiles within its limits, and beyond them only when told to."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from stepscope.formats.format import Limits
from stepscope.ingest.loader import Loader, Root
from stepscope.model.errors import TooMuch
from stepscope.store.library import Library


def bomb(folder: Path) -> None:
    """A trace that unpacks to a thousand times its size."""
    event = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5}
    text = json.dumps({"traceEvents": [event]}).encode()
    folder.mkdir()
    (folder / "rank0.pt.trace.json.gz").write_bytes(gzip.compress(text[:-1] + b" " * (80 << 20) + text[-1:]))


@pytest.mark.slow
def test_a_bomb_is_refused_unless_the_limit_is_raised(tmp_path: Path) -> None:
    bomb(tmp_path / "run")

    def spans(limits: Limits | None) -> int:
        library = Library()
        Loader(library, [Root("", str(tmp_path))], reload_interval=0, cache=False, profile_limits=limits).reload()
        (run,) = library.snapshot.runs
        return len(library.profiles.profile(run.profiles[0].files[0]).spans)

    with pytest.raises(TooMuch, match="--max-gib"):
        spans(None)
    assert spans(Limits(bytes=1 << 30, ratio=1 << 30)) == 1
