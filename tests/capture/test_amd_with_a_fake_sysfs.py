"""AMD's GPUs: no such device is at hand, so a fake tree of files stands where the driver's would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.capture.amd import AmdProbe

FULL = {
    "vendor": "0x1002\n",
    "product_name": "Fake MI300X\n",
    "gpu_busy_percent": "87\n",
    "mem_busy_percent": "12\n",
    "mem_info_vram_total": f"{192 << 30}\n",
    "mem_info_vram_used": f"{48 << 30}\n",
    "pcie_bw": "4096 8192 256\n",
    "hwmon/hwmon3/power1_average": "412000000\n",
    "hwmon/hwmon3/temp1_input": "58000\n",
    "hwmon/hwmon3/freq1_input": "2100000000\n",
    "hwmon/hwmon3/freq2_input": "1300000000\n",
}


def fake_card(top: Path, name: str, files: dict[str, str]) -> None:
    for file, content in files.items():
        path = top / name / "device" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def test_a_card_is_read_in_the_units_of_its_tags(tmp_path: Path) -> None:
    fake_card(tmp_path, "card0", FULL)
    probe = AmdProbe(cards=tmp_path)
    assert dict(probe.read(0.0)) == pytest.approx(
        {
            "gpu/0/used_percent": 87,
            "gpu/0/memory_bus_used_percent": 12,
            "gpu/0/memory_used_mib": 49152,
            "gpu/0/memory_used_percent": 25,
            "gpu/0/power_watts": 412,
            "gpu/0/temperature_celsius": 58,
            "gpu/0/clock_mhz": 2100,
            "gpu/0/memory_clock_mhz": 1300,
            "gpu/0/pcie_received_mib_per_s": 1,
            "gpu/0/pcie_sent_mib_per_s": 2,
        }
    )
    assert probe.facts() == {"GPU 0": "Fake MI300X, 196608 MiB"}


def test_newer_cards_name_their_power_otherwise(tmp_path: Path) -> None:
    fake_card(tmp_path, "card0", {"vendor": "0x1002", "hwmon/hwmon0/power1_input": "99000000"})
    assert dict(AmdProbe(cards=tmp_path).read(0.0)) == pytest.approx({"gpu/0/power_watts": 99})


def test_other_makers_and_outputs_are_no_cards(tmp_path: Path) -> None:
    fake_card(tmp_path, "card0", {"vendor": "0x8086", "gpu_busy_percent": "5"})
    fake_card(tmp_path, "card1-HDMI-A-1", {"vendor": "0x1002", "gpu_busy_percent": "5"})
    (tmp_path / "renderD128").mkdir()
    assert list(AmdProbe(cards=tmp_path).read(0.0)) == []
    assert list(AmdProbe(cards=tmp_path / "missing").read(0.0)) == []


def test_cards_are_counted_in_order_and_after_those_of_another_maker(tmp_path: Path) -> None:
    for number in (10, 2):
        fake_card(tmp_path, f"card{number}", {"vendor": "0x1002", "gpu_busy_percent": str(number)})
    assert dict(AmdProbe(first=3, cards=tmp_path).read(0.0)) == {"gpu/3/used_percent": 2, "gpu/4/used_percent": 10}


def test_traffic_is_asked_of_one_card_a_time(tmp_path: Path) -> None:
    for number in range(2):
        fake_card(tmp_path, f"card{number}", {"vendor": "0x1002", "pcie_bw": "4096 4096 256"})
    probe = AmdProbe(cards=tmp_path)
    asked = [{tag.split("/")[1] for tag, _ in probe.read(float(second))} for second in range(3)]
    assert asked == [{"0"}, {"1"}, {"0"}]


@pytest.mark.parametrize("content", ["", "many\n", "1 2\n", "\xff\xfe"])
def test_files_without_numbers_are_passed_over(tmp_path: Path, content: str) -> None:
    fake_card(tmp_path, "card0", {**FULL, "gpu_busy_percent": content, "pcie_bw": content})
    found = dict(AmdProbe(cards=tmp_path).read(0.0))
    assert "gpu/0/used_percent" not in found
    assert "gpu/0/pcie_sent_mib_per_s" not in found
    assert found["gpu/0/memory_used_percent"] == 25
