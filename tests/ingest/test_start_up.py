"""A process that reads event files imports nothing that only profiles need: start-up is half of a small load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from child_environment import with_sources
from log_folder import LogFolder

LOADED = """
import sys
from stepscope.cli.verbs import run_verbs
code = run_verbs(["inspect", sys.argv[1], "--json", "--no-cache"])
print(code, *sys.modules)
"""


def test_reading_event_files_imports_no_arrays_and_no_reader_of_profiles(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    folder.write("run", {"loss": [1.0, 2.0]})
    command = [sys.executable, "-c", LOADED, str(folder.path)]
    done = subprocess.run(command, env=with_sources(), capture_output=True, check=True, text=True)
    code, *loaded = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert "stepscope.formats.tfevents" in loaded
    heavy = {"numpy", "msgspec", "stepscope.model.profile", "stepscope.formats.name_rules"}
    assert [name for name in loaded if name in heavy or (name.startswith("stepscope.formats.") and name.endswith(".read"))] == []
