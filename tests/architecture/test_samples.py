"""The list of samples is complete and checkable, the public ones can be fetched, and CI says when it does without."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import samples
from sample_files import LISTED, needs
from skipped_tests import by_reason, untold

ROOT = Path(__file__).resolve().parents[2]
CONTENT = b"a profile"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture
def public(tmp_path: Path) -> Iterator[str]:
    """The address of a server that has one file, `there`."""
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "there").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    with contextlib.closing(server.socket):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def sample(url: str | None, content: bytes = CONTENT, name: str = "kind/file") -> samples.Sample:
    return samples.Sample(name, len(content), hashlib.sha256(content).hexdigest(), "MIT", "none", url)


def test_the_list_names_each_file_once_with_origin_and_licence() -> None:
    found = samples.listed()
    assert len({each.name for each in found}) == len(found) > 100
    assert all(len(each.sha256) == 64 and each.bytes > 0 and each.licence and each.origin for each in found)
    assert all(each.origin == samples.NONE or each.origin.startswith("https://github.com/") for each in found)
    public = [each for each in found if each.url is not None]
    assert public
    assert all(each.url and each.url.startswith("https://") and each.url.endswith(Path(each.name).name) for each in public)


@needs("event_logs", "kineto", "tf1_run_metadata", "xplane")
def test_the_samples_here_are_those_of_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert samples.check(samples.listed()), capsys.readouterr().err


def test_public_samples_are_fetched_once(public: str, tmp_path: Path) -> None:
    wanted = [sample(f"{public}/there"), sample(None, name="kind/captured")]
    assert samples.fetch_all(tmp_path / "got", wanted)
    assert (tmp_path / "got" / "kind" / "file").read_bytes() == CONTENT
    assert samples.missing(tmp_path / "got", wanted) == wanted[1:]
    shutil.rmtree(tmp_path / "public")
    assert samples.fetch_all(tmp_path / "got", wanted)


@pytest.mark.parametrize("content", [b"another .", b"a profile that is longer"])
def test_other_content_is_refused(public: str, tmp_path: Path, content: bytes) -> None:
    wanted = [sample(f"{public}/there", content)]
    assert not samples.fetch_all(tmp_path / "got", wanted)
    assert samples.missing(tmp_path / "got", wanted) == wanted


def test_what_cannot_be_fetched_is_named(public: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not samples.fetch_all(tmp_path / "got", [sample(f"{public}/gone")])
    assert "kind/file" in capsys.readouterr().err


def test_a_file_of_another_size_is_missing(tmp_path: Path) -> None:
    (tmp_path / "kind").mkdir()
    (tmp_path / "kind" / "file").write_bytes(b"cut")
    assert samples.missing(tmp_path, [sample(None)]) == [sample(None)]


def test_where_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPSCOPE_DEV_CACHE", str(tmp_path / "cache"))
    clone = tmp_path / "clone"
    assert samples.folder({}, clone) is None
    (tmp_path / "cache" / "samples").mkdir(parents=True)
    assert samples.folder({}, clone) == tmp_path / "cache" / "samples"
    (tmp_path / "shared" / "samples").mkdir(parents=True)
    assert samples.folder({}, clone) == tmp_path / "shared" / "samples"
    assert samples.folder({samples.VARIABLE: str(tmp_path)}, clone) == tmp_path.resolve()
    assert samples.folder({samples.VARIABLE: samples.NONE}, clone) is None
    with pytest.raises(SystemExit):
        samples.folder({samples.VARIABLE: str(tmp_path / "nowhere")}, clone)


def test_a_test_can_need_only_what_is_listed() -> None:
    assert needs("kineto/resnet50_workers0").kwargs["reason"]
    with pytest.raises(LookupError):
        needs("kineto/resnet50_workers")


@pytest.mark.parametrize(
    ("in_ci", "variable", "absent", "refused"),
    [
        (True, None, 3, True),
        (True, None, len(LISTED), True),
        (True, "none", len(LISTED), False),
        (True, "/some/folder", 3, False),
        (True, None, 0, False),
        (False, None, len(LISTED), False),
    ],
)
def test_ci_has_to_be_told_when_samples_are_missing(in_ci: bool, variable: str | None, absent: int, refused: bool) -> None:
    assert (untold(in_ci, variable, absent, absent < len(LISTED)) is not None) == refused


def test_reasons_of_skipped_tests_are_counted() -> None:
    def skipped(reason: str) -> pytest.TestReport:
        return pytest.TestReport("a", ("", 0, ""), {}, "skipped", ("a.py", 1, f"Skipped: {reason}"), "setup")

    assert by_reason([skipped("no disk"), skipped("no samples"), skipped("no samples")]) == [("no samples", 2), ("no disk", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("beside", "told"), [(True, "{place}"), (False, "none")])
def test_ci_runs_with_samples_beside_the_clone_and_without(tmp_path: Path, beside: bool, told: str) -> None:
    clone, programs = tmp_path / "clone", tmp_path / "programs"
    for name in (".ci/run", "tools/samples.py", "tools/environment.py", "tools/locking.py", "tests/samples.toml"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    programs.mkdir()
    (programs / "make").write_text('#!/bin/sh\necho "$CI $STEPSCOPE_SAMPLES $*"\n')
    (programs / "make").chmod(0o755)
    (programs / "python3").symlink_to(sys.executable)
    place = tmp_path / "shared" / "samples"
    if beside:
        place.mkdir(parents=True)
    variables = {name: value for name, value in os.environ.items() if name != samples.VARIABLE}
    variables |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "STEPSCOPE_DEV_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(["sh", clone / ".ci" / "run"], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["true", told.format(place=place), "test"]
    assert ("NOT TESTED" in done.stderr) == (not beside)
    assert (f"{len(LISTED)} of {len(LISTED)}" in done.stderr) == beside  # an empty folder lacks them all, and that is said
