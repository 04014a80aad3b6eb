"""Calls of JAX that wait for an array are known as waits, and its dispatch is not."""

from __future__ import annotations

import pytest

import xspace_bytes as xb
from stepscope._native import read_xspace
from stepscope.model.profile import SpanKind

US = 1_000_000


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("np.asarray(jax.Array)", SpanKind.SYNC),
        ("CommonPjRtBuffer::Await", SpanKind.SYNC),
        ("$api.py:3165 block_until_ready", SpanKind.SYNC),
        ("$api.py:3172 try_to_block", SpanKind.SYNC),
        ("$train.py:7 not_block_until_ready", SpanKind.PYTHON),
        ("np.asarray(jax.Array) of mine", SpanKind.ANNOTATION),
        ("PjitFunction(step)", SpanKind.FRAMEWORK),
    ],
)
def test_kinds(name: str, kind: SpanKind) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("python", plane.event(name, 0, US), id=1)
    tables = read_xspace(xb.space(plane), 1000, 1000, 1)
    assert [SpanKind(each) for each in tables.spans["kind"].tolist()] == [kind]
