"""What differs between two profiles beside their times: facts on both sides, and none that only name the file."""

from __future__ import annotations

from dataclasses import replace

from analyses.timeline import MS, Timeline
from stepscope.analyses.compare.settings import MOST_SETTINGS, devices_of, different_settings
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import Device, Profile, SpanKind


def training(environment: dict[str, str] | None = None, device: str = "", kernels: dict[str, int] | None = None) -> Profile:
    """Four steps of 10 ms, in the first of which kernels of these names run for so many microseconds."""
    line = Timeline().draw("main   1111111111222222222233333333334444444444\nmain   o")
    at = 0
    for name, length in (kernels or {}).items():
        line.span("gpu 0", at, at + length * 1_000, SpanKind.KERNEL, name)
        at += length * 1_000
    line.span("gpu 0", 15 * MS, 16 * MS, SpanKind.KERNEL, "relu")
    profile = replace(line.build(), framework="PyTorch", environment=environment or {})
    return replace(profile, devices=[Device(device, "GPU", 0)])


def differences(before: Profile, after: Profile) -> dict[str, tuple[str, str]]:
    found = different_settings(summarise([before]), summarise([after]))
    return {setting.name: (setting.before, setting.after) for setting in found}


def test_the_same_has_no_differences() -> None:
    assert differences(training({"cuda": "12.1"}), training({"cuda": "12.1"})) == {}


def test_facts_of_the_file_alone_are_left_out() -> None:
    before = training({"cuda": "12.1", "profile_start_time": "1", "trace_id": "A", "with_stack": "1"})
    after = training({"cuda": "12.4", "profile_start_time": "2", "trace_id": "B"})
    assert differences(before, after) == {"cuda": ("12.1", "12.4"), "with_stack": ("1", "")}


def test_device_and_framework_come_before_versions() -> None:
    before, after = training({"a": "1"}, "V100"), replace(training({"a": "2"}, "A100"), framework="JAX")
    assert list(differences(before, after).items()) == [
        ("framework", ("PyTorch", "JAX")),
        ("device", ("V100", "A100")),
        ("a", ("1", "2")),
    ]


def test_a_number_format_counts_from_a_noticeable_share_of_the_kernels() -> None:
    much, little = (
        training(kernels={"ampere_bf16_s16816gemm_bf16_128x64": 1_000, "ampere_sgemm_32x32": plain}) for plain in (1_000, 50)
    )
    assert differences(much, little)["number formats"] == ("fp16, fp32", "fp16")


def test_a_profile_without_a_device_ran_on_the_cpu() -> None:
    host = Timeline().draw("main   1111222233334444\nmain   o.o.o.o.").build()
    assert devices_of(summarise([host])) == "CPU"
    assert devices_of(summarise([training(device="V100")])) == "V100"
    assert devices_of(summarise([training()])) == "GPU"


def test_many_and_long_settings_are_cut() -> None:
    found = differences(training({f"option_{each:03}": "x" * 1_000 for each in range(100)}), training())
    assert len(found) == MOST_SETTINGS
    assert {len(before) for before, _ in found.values()} == {200}
