"""The session alone reads the user's table of devices, and gives it to every part that speaks of peaks."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from log_folder import LogFolder
from rules.special_cases import computing
from stepscope.analyses.devices.table import YOURS, published_devices
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.session.device_table import device_table
from stepscope.session.parts.hlo import HLO
from stepscope.session.parts.kernels import KERNELS
from stepscope.session.parts.report import REPORT
from stepscope.session.parts.roofline import ROOFLINE
from stepscope.session.reader import SessionOfRun, SessionReader

CHIP = "[[device]]\nname = 'My chip'\nteraflops = { fp32 = 15.7 }\ngigabytes_per_second = 900\n"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's table is looked for; there is none yet."""
    path = tmp_path / "devices.toml"
    monkeypatch.setenv("STEPSCOPE_DEVICES", str(path))
    return path


@pytest.fixture
def session(tmp_path: Path) -> tuple[SessionReader, SessionOfRun]:
    """A device that only the user knows, with a compiled operation that reaches a third of its peak in most of the step."""

    def read(_: str) -> Profile:
        found = computing("My chip 2", 3.0)
        return replace(found, ops=[replace(op, program="jit_f") for op in found.ops])

    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "worker0.1794770412963.pt.trace.json").write_text("{}")
    folder = LogFolder(tmp_path / "logs")
    folder.library.profiles.use_reader(read)
    folder.load()
    reader = SessionReader(folder.library)
    return reader, reader.sessions()[0]


def test_every_part_that_speaks_of_peaks_has_the_users_rows(session: tuple[SessionReader, SessionOfRun], own: Path) -> None:
    reader, found = session

    def said() -> tuple[object, ...]:
        kernel = next(row for row in reader.answer(KERNELS, found, KERNELS.wanted()).kernels if row.op == "dot")
        (rank,) = reader.answer(ROOFLINE, found, ROOFLINE.wanted()).ranks
        (row,) = reader.answer(HLO, found, HLO.wanted()).rows
        report = reader.answer(REPORT, found, REPORT.wanted())
        (finding,) = [each for each in report.findings if each.rule == "slow_operator"]
        return kernel.peaks_from, [roof.flops_per_second for roof in rank.roofs], row.flops_share_of_peak, finding.verdict.value

    assert said() == ("", [], None, "cannot_tell")
    own.write_text(CHIP)
    assert said() == (YOURS, [{"fp32": 15.7e12}], pytest.approx(1 / 3), "fires")


def test_without_a_file_there_are_the_published_rows_and_edits_are_seen(own: Path) -> None:
    assert device_table() == published_devices()
    assert not own.exists()
    own.write_text(CHIP)
    assert device_table().devices[0].bandwidth == 900e9
    own.write_text(CHIP.replace("900", "800"))
    os.utime(own, ns=(1, 1))
    assert device_table().devices[0].bandwidth == 800e9


@pytest.mark.parametrize("content", [b"\xff\xfe", b"#" * ((1 << 20) + 2), b"device = 3"])
def test_a_file_that_is_no_table_is_named(own: Path, content: bytes) -> None:
    own.write_bytes(content)
    with pytest.raises(BadInput) as refused:
        device_table()
    assert (refused.value.code, refused.value.message.startswith(str(own))) == ("bad_device_table", True)
