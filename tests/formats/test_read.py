"""Recognising a profile imports nothing that reads one; reading does, for its own format alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from child_environment import with_sources
from formats.run_metadata.run_metadata_bytes import example

STEPS = """
import sys
from stepscope.formats.all_formats import FORMATS, PROFILE_FORMATS
from stepscope.formats.format import Limits

def readers():
    return sorted(name for name in sys.modules if name.startswith("stepscope.formats.") and name.endswith(".read"))

print(len(FORMATS) > 5, *readers())
path = sys.argv[1]
known = next(one for one in PROFILE_FORMATS if one.sniff(open(path, "rb").read(), "run_metadata.pb"))
print(known.id, *readers())
print(len(known.read(path, Limits()).spans) > 0, *readers())
"""


def test_a_reader_is_imported_when_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run_metadata.pb"
    path.write_bytes(example())
    command = [sys.executable, "-c", STEPS, str(path)]
    done = subprocess.run(command, env=with_sources(), capture_output=True, check=True, text=True)
    assert done.stdout.splitlines() == ["True", "run_metadata", "True stepscope.formats.run_metadata.read"]
