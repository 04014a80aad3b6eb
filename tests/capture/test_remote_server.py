"""stepscope.serve_profiler before it serves: an open address needs a token, and gRPC has to be there."""

from __future__ import annotations

import importlib.util

import pytest

from stepscope.capture.remote.server import serve_profiler
from stepscope.model.errors import NeedsExtra


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", ""])
def test_an_open_address_needs_a_token(host: str) -> None:
    with pytest.raises(ValueError, match="token"):
        serve_profiler(host=host)


@pytest.mark.skipif(importlib.util.find_spec("grpc") is not None, reason="gRPC is installed")
def test_without_grpc_the_extra_is_named() -> None:
    with pytest.raises(NeedsExtra, match="capture"):
        serve_profiler()
