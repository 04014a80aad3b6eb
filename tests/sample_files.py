"""Where the recordings are: those that are kept beside the tests, and the larger ones beside the clone, which may be absent."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / "shared" / "samples"
JAX_CAPTURE = HERE / "formats" / "xplane" / "captures" / "jax.xplane.pb"

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample recordings are not at {SAMPLES}")
