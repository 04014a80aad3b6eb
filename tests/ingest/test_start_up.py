"""A process that loads event files imports nothing that only profiles need: start-up is half of a small load."""

from __future__ import annotations

import subprocess
import sys

from child_environment import with_sources

LOADED = """
import sys
import stepscope.ingest.loader
print(*(name for name in sys.modules if name.startswith("stepscope.")))
"""


def test_loading_event_files_compiles_no_patterns_of_span_names() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], env=with_sources(), capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())
    assert "stepscope.formats.tfevents" in loaded
    assert loaded & {"stepscope.formats.name_rules", "stepscope.formats.kernel_names", "stepscope.formats.input_phase_names"} == set()
