"""What came from another process and cannot be saved: a full disk and a folder without permission are one sentence each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from small_disk import small_disk
from stepscope.capture.remote import client
from stepscope.capture.remote.client import Target, capture
from stepscope.capture.remote.service import Answer, Wanted
from stepscope.model.errors import BadInput

TARGETS = [Target("a", 1), Target("b", 2)]


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both processes answer at once, with a trace that no small disk has room for; the network is not what is tested here."""
    trace = b'{"traceEvents": []}' + b" " * 100_000

    def answer(target: Target, *_: object) -> Answer | str:
        return Answer({".trace.json": trace})

    monkeypatch.setattr(client, "load_grpc", lambda: None)
    monkeypatch.setattr(client, "_ask", answer)


def test_a_full_disk_is_one_sentence_and_what_fits_is_whole(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 128) as disk:
        with pytest.raises(BadInput) as raised:
            capture(TARGETS, Wanted(100), str(disk))
        files = [path for path in disk.rglob("*") if path.is_file()]
        assert [path.name for path in files] == ["a_1.trace.json"], "the first is whole, and nothing is left of the second"
        assert files[0].stat().st_size > 100_000
    assert "no space left" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_permission_is_one_sentence(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    child = os.fork()
    if child == 0:  # pragma: no cover (permissions do not stop root)
        code = 1
        try:
            tmp_path.chmod(0o755)
            if os.getuid() == 0:
                os.setuid(65534)
            capture(TARGETS, Wanted(100), str(locked / "run"))
        except BadInput as error:
            code = 0 if error.code == "cannot_save" else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(locked.iterdir()) == []
