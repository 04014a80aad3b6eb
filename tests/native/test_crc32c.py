"""CRC-32C against published check values, and the CPU's instruction against the table and an independent loop."""

from __future__ import annotations

import os
import random

import pytest

import event_bytes as eb
from stepscope._native import crc32c, crc32c_is_hardware, crc32c_table, masked_crc32c

CHECK_VALUES = {
    b"": 0x00000000,
    b"123456789": 0xE3069283,
    b"a": 0xC1D04330,
    bytes(32): 0x8A9136AA,  # these four from RFC 3720
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(range(31, -1, -1)): 0x113FDB5C,
}


@pytest.mark.parametrize(("data", "checksum"), CHECK_VALUES.items())
def test_check_values(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum
    assert crc32c_table(data) == checksum
    assert eb.crc32c(data) == checksum


def test_masked_check_value() -> None:
    assert masked_crc32c(b"\x1a\x11CRC test, one two") == 0x5794D08A
    assert eb.masked(b"\x1a\x11CRC test, one two") == (0x5794D08A).to_bytes(4, "little")


def test_instruction_equals_table_at_every_length_and_alignment() -> None:
    data = random.Random(1).randbytes(320)
    for length in range(301):
        for start in range(8):
            piece = data[start : start + length]
            assert crc32c(piece) == crc32c_table(piece), (start, length)
        assert crc32c(data[:length]) == eb.crc32c(data[:length]), length


def test_the_build_under_test_is_the_expected_one() -> None:
    if os.environ.get("STEPSCOPE_EXPECT_TABLE_CRC"):
        assert not crc32c_is_hardware()
    elif "sse4_2" in _cpu_flags():
        assert crc32c_is_hardware()


def _cpu_flags() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            return info.read()
    except OSError:
        return ""
