"""Files that users edit lie where options and the environment say, and one stamp changes with each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.ingest.own_kinds import OwnKinds
from stepscope.store.user_files import TooLong, collectives_file, device_file, span_kind_file, user_files_stamp, user_text


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("STEPSCOPE_SPAN_KINDS", "STEPSCOPE_COLLECTIVES", "STEPSCOPE_DEVICES"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path))
    return tmp_path


def test_options_go_before_the_environment_and_that_before_the_data_folder(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (span_kind_file(), collectives_file(), device_file()) == (str(data / "span_kinds.toml"), "", str(data / "devices.toml"))
    monkeypatch.setenv("STEPSCOPE_SPAN_KINDS", "/kinds")
    monkeypatch.setenv("STEPSCOPE_COLLECTIVES", "/collectives")
    monkeypatch.setenv("STEPSCOPE_DEVICES", "/devices")
    assert (span_kind_file(), collectives_file(), device_file()) == ("/kinds", "/collectives", "/devices")
    assert (span_kind_file("/mine"), collectives_file("/mine")) == ("/mine", "/mine")


@pytest.mark.parametrize("name", ["span_kinds.toml", "devices.toml", "names.txt"])
def test_the_stamp_changes_with_every_file(data: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("STEPSCOPE_COLLECTIVES", str(data / "names.txt"))
    stamps = [user_files_stamp()]
    for text in ("# one", "# another"):
        (data / name).write_text(text)
        stamps.append(user_files_stamp())
    (data / name).unlink()
    assert len(set(stamps)) == 3
    assert user_files_stamp() == stamps[0]
    assert OwnKinds().stamp() == stamps[0]


def test_a_changed_file_is_read_again(data: Path) -> None:
    path = data / "devices.toml"
    path.write_text("# one")
    assert (user_text(str(path)), user_text(str(path))) == ("# one", "# one")
    path.write_text("# another")
    assert user_text(str(path)) == "# another"
    path.write_text("#" * ((1 << 20) + 1))
    with pytest.raises(TooLong):
        user_text(str(path))
