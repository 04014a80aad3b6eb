"""The table of devices is believable itself, takes the user's rows first, and refuses what no device has with a sentence."""

from __future__ import annotations

import pytest

from stepscope.analyses.devices.peaks import device_peaks
from stepscope.analyses.devices.table import PUBLISHED, YOURS, published_devices, read_table, with_yours
from stepscope.model.errors import BadInput
from stepscope.model.profile import Device


def test_published_figures_agree_with_generation_multiprocessors_and_clock() -> None:
    table = published_devices()
    compared = 0
    for row in table.devices:
        for number_format, per_cycle in (
            table.generations[row.generation].flops_per_cycle if row.generation in table.generations else {}
        ).items():
            if number_format == "fp32" and row.generation.startswith("AMD"):
                continue  # data sheets give the matrix units' figure
            if number_format in row.flops:
                assert row.flops[number_format] == pytest.approx(row.multiprocessors * row.clock_hz * per_cycle, rel=0.16) or (
                    # Consumer cards run products at half of the rate or less.
                    "RTX" in row.pattern.pattern and row.flops[number_format] < row.multiprocessors * row.clock_hz * per_cycle
                ), (row.pattern.pattern, number_format)
                compared += 1
    assert compared > 20


def test_more_exact_names_come_before_less_exact_ones() -> None:
    devices = published_devices().devices
    for place, row in enumerate(devices):
        name = row.pattern.pattern.replace(r"\b", "").replace(".*", " ").replace(" ?(lite|e)", " lite")
        assert next(index for index, other in enumerate(devices) if other.pattern.search(name)) == place, name


def test_published_rows_say_so() -> None:
    assert {row.source for row in published_devices().devices} == {PUBLISHED}


def test_the_users_rows_come_first() -> None:
    a100 = Device("NVIDIA A100-SXM4-80GB", "GPU", 0)
    table = with_yours("[[device]]\nname = 'A100'\nteraflops = { fp16 = 250 }\ngigabytes_per_second = 1400\n", "devices.toml")
    peaks = device_peaks(a100, table)
    assert (peaks.flops, peaks.bandwidth, peaks.flops_from) == ({"fp16": 250e12}, 1400e9, YOURS)
    other = with_yours("[[device]]\nname = 'My chip'\nteraflops = { fp16 = 1 }\n", "devices.toml")
    assert device_peaks(Device("my CHIP 2", "GPU", 0), other).flops == {"fp16": 1e12}
    assert device_peaks(a100, other) == device_peaks(a100)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[device]]\nname='x'\nteraflops={fp16=-3}", "says fp16 of \"x\" is -3, which is out of range: write a number from 0.001"),
        ("[[device]]\nname='x'\nteraflops={fp16=3e14}", "is 300000000000000.0, which is out of range"),
        ("[[device]]\nname='x'\nteraflops={fp16=nan}", "is nan, which is out of range"),
        ("[[device]]\nname='x'\nteraflops={fp16=true}", "is True, which is out of range"),
        ("[[device]]\nname='x'\ngigabytes_per_second=0", "gigabytes_per_second of \"x\" is 0, which is out of range"),
        ("[[device]]\nname='x'\nclock_ghz='fast'", "is 'fast', which is out of range"),
        ("[[device]]\nname='x'\nteraflops={fp17=3}", "has \"fp17\" in teraflops of \"x\", which is unknown: write one of fp64"),
        ("[[device]]\nname='x'\nflops=3", "has \"flops\" in device \"x\", which is unknown"),
        ("[[device]]\nteraflops={fp16=3}", "has a device without a name"),
        ("[[device]]\nname='('", "which is not a pattern"),
        ("[[device]]\nname=3", "has a name that is not text"),
        ("[[device]]\nname='x'\nteraflops=3", "has teraflops of \"x\" that are not a table"),
        ("[[device]]\nname='x'\nlevels=3", "that are not a list of tables"),
        ("device=3", "under [[device]]"),
        ("name = ", "is not valid TOML"),
        ("[[generation]]\nname='NVIDIA 99.0'\nthreads=-1", "says threads of generation \"NVIDIA 99.0\" is -1"),
    ],
)  # fmt: skip
def test_what_no_device_has_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        with_yours(text, "/home/me/devices.toml")
    assert sentence in refused.value.message
    assert refused.value.message.startswith("/home/me/devices.toml")
    assert refused.value.message.endswith(".")


def test_a_new_generation_may_be_described() -> None:
    table = read_table("[[generation]]\nname = 'NVIDIA 99.0'\nflops_per_cycle = { fp16 = 100 }\nwarp = 32\n", YOURS, "x")
    peaks = device_peaks(Device("new", "GPU", 0, multiprocessors=10, clock_hz=1e9, compute_capability=(99, 0)), table)
    assert peaks.flops == {"fp16": 1e12}
