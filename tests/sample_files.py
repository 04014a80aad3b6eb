"""Where the profiles are that tests read: those kept beside the tests, and the samples of samples.toml, which may be absent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import samples  # noqa: E402 (found through the line above)

LISTED = {each.name: each for each in samples.listed()}
FOUND = samples.folder()
SAMPLES = FOUND or HERE.parents[1] / "shared" / "samples"
"""Only tests that say so by `needs` read here."""
ABSENT = {each.name for each in samples.missing(SAMPLES, list(LISTED.values()))} if FOUND else set(LISTED)
JAX_CAPTURE = HERE / "formats" / "xplane" / "captures" / "jax.xplane.pb"


def needs(*names: str) -> pytest.MarkDecorator:
    """Skips a test unless these samples are there: names of files, or of folders for all that is listed in them."""
    wanted = {name for name in LISTED if any(name == each or name.startswith(f"{each}/") for each in names)}
    unknown = [each for each in names if not any(name == each or name.startswith(f"{each}/") for name in wanted)]
    if unknown:
        raise LookupError(f"samples.toml does not list {', '.join(unknown)}.")
    origin = "samples are not here" if FOUND is None else "some samples are not here"
    return pytest.mark.skipif(bool(wanted & ABSENT), reason=f"{origin}: `make samples` fetches the public ones")


needs_samples = needs("event_logs", "kineto", "tf1_run_metadata", "xplane")
