"""Pickles of plain data are read as Python reads them, and nothing in any pickle is ever executed."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.memory_snapshot.running_pickle import Runs
from stepscope._native import NotPlain, read_plain_pickle

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")) | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(codec="utf-8")) | st.integers(), inner)
        | st.tuples(inner)
        | st.tuples(inner, inner, inner, inner)
    ),
    max_leaves=30,
)


@pytest.mark.slow
@given(PLAIN, st.integers(3, pickle.HIGHEST_PROTOCOL))
def test_plain_data_is_read_as_python_reads_it(data: object, protocol: int) -> None:
    assert read_plain_pickle(pickle.dumps(data, protocol)) == data


def test_shared_and_endless_data_keeps_its_shape() -> None:
    inner: list[object] = [1]
    got = read_plain_pickle(pickle.dumps([inner, inner]))
    assert isinstance(got, list)
    assert got[0] is got[1]
    inner.append(inner)
    endless = read_plain_pickle(pickle.dumps(inner))
    assert isinstance(endless, list)
    assert endless[1] is endless


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_code_is_refused_and_not_run(tmp_path: Path, protocol: int) -> None:
    sign = tmp_path / "ran"
    data = pickle.dumps({"segments": [Runs(sign)]}, protocol)
    with pytest.raises(NotPlain, match=r"code|instruction"):
        read_plain_pickle(data)
    assert not sign.exists()


@pytest.mark.parametrize(
    "program",
    [
        b"",
        b"\x80",
        b"\x80\x04",
        b"\x80\x09N.",
        b"\x80\x04.",
        b"\x80\x04t.",
        b"\x80\x04a.",
        b"\x80\x04}]s.",
        b"\x80\x04}]K\x01s.",
        b"\x80\x04]\x90.",
        b"\x80\x04h\x07.",
        b"\x80\x04}(K\x01u.",
        b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b".",
        b"\x80\x04\x8e" + struct.pack("<Q", (1 << 64) - 1) + b".",
        b"\x80\x04\x8b" + struct.pack("<I", 1 << 31) + b".",
        b"\x80\x04(K\x01(K\x02K\x03u.",
        b"(K\x010.",
        b"I" + b"9" * 100 + b"\n.",
        b"cos\nsystem\n.",
        b"Ppersistent\n.",
        b"\x80\x04]r\xff\xff\xff\xff0.",
    ],
)
def test_damage_is_one_sentence(program: bytes) -> None:
    with pytest.raises(NotPlain):
        read_plain_pickle(program)


def test_cut_short_anywhere() -> None:
    data = pickle.dumps({"segments": [{"address": 1 << 40, "blocks": [{"size": 1.5, "state": "inactive"}]}], "a": (1, "é", None, True)})
    for length in range(len(data)):
        with pytest.raises(NotPlain):
            read_plain_pickle(data[:length])
