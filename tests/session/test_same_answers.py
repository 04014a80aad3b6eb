"""The terminal, the HTTP API, Python and a saved report answer the same about every part of a session, field by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

import stepscope
from cli.profile_terminal import Terminal
from cli.torch_traces import trace
from log_folder import LogFolder
from report_files import embedded, use_small_bundle
from sample_files import SAMPLES, needs_samples
from stepscope import SummaryWriter
from stepscope.dashboards.context import Project
from stepscope.dashboards.profile.html_report import EMBEDDED
from stepscope.ingest.loader import Root
from stepscope.server.app import API, Application
from stepscope.session.all_parts import ALL_PARTS
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import AnyPart, Files
from stepscope.session.parts.hlo import HLO
from stepscope.session.parts.hlo_op import HLO_OP
from stepscope.session.parts.throughput import THROUGHPUT
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

TEN = (
    "kineto/resnet50_workers0",
    "kineto/resnet50_workers4",
    "kineto/torch213_cpu",
    "kineto/torch213_ddp_gloo",
    "kineto/hta/nccl_parser_config",
    "xplane/tf_keras_fit",
    "xplane/tf_manual_steps",
    "xplane/jax_cpu",
    "xplane/mi300_jax_conv",
    "xplane/synthetic_cuda",
)
QUICK = ("kineto/torch213_ddp_gloo", "xplane/jax_cpu", "xplane/synthetic_cuda")
NAMES = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in TEN]
"""All of them, the larger ones marked."""
VERBS = {"hlo_tree": ("hlo", "--tree"), "hlo_text": ("hlo", "--text")}
"""How the terminal asks for a part whose id is not a verb."""
ASKED = [part for part in ALL_PARTS if not any(field.required for field in msgspec.structs.fields(part.wanted))]
"""Parts that answer without a choice."""


def over_http(sample: Path, session: str, part: AnyPart, data: Path, **wanted: str) -> tuple[int, Any]:
    """Status and answer of a part's route on a server of the sample's folder, asked until everything is read."""
    folder = LogFolder(sample)
    folder.load()
    project = Project(Reads(folder.library), folder.loader, UserState(data), (Root("", str(sample)),))
    client = TestClient(Application(project).asgi, base_url="http://localhost")
    sessions = client.get(f"{API}/profile/sessions").json()["sessions"]
    found = next(one["id"] for one in sessions if one["name"] == session)
    for _ in range(120):
        got = client.get(f"{API}/profile/{found}/{part.id}", params=wanted)
        body = got.json()
        if got.status_code != 200:
            return got.status_code, body["error"]["code"]
        if body["reading"] is None:
            return 200, body["answer"]
    raise AssertionError("The profile is never read.")


def in_python(sample: Path, part: AnyPart) -> Any:
    """The answer as objects, as JSON would have it."""
    found = profile_at(str(sample), Opening(cache=False), timed=part.files is not Files.MEMORY)
    return json.loads(msgspec.json.encode(found.answer(part, part.wanted())))


@needs_samples
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", ASKED, ids=lambda part: part.id)
@pytest.mark.parametrize("name", NAMES)
def test_all_front_ends_agree(name: str, part: AnyPart, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sample = SAMPLES / name
    verb, *options = VERBS.get(part.id, (part.id,))
    printed = Terminal(capsys).json(verb, sample, *options, "--no-cache")
    assert in_python(sample, part) == printed
    session = profile_at(str(sample), timed=part.files is not Files.MEMORY).session
    status, answer = over_http(sample, session.name, part, tmp_path / "data")
    assert (status, answer) == (200, printed)


@needs_samples
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_a_saved_report_has_the_answers_of_the_terminal(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_bundle(tmp_path, monkeypatch)
    terminal, target = Terminal(capsys), tmp_path / "report.html"
    assert terminal.run("report", SAMPLES / name, "--html", target, "--no-cache")[0] == 0
    found = embedded(target.read_text())
    for part in EMBEDDED:
        assert found[part.id] == terminal.json(part.id, SAMPLES / name, "--no-cache"), part.id


@needs_samples
def test_front_ends_agree_on_one_compiled_operation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sample = SAMPLES / "xplane" / "jax_cpu"
    row = next(row for row in profile_at(str(sample)).answer(HLO, HLO.wanted()).rows if row.has_text)
    printed = Terminal(capsys).json("hlo", sample, "--program", row.program, "--op", row.name, "--no-cache")
    session = profile_at(str(sample)).session.name
    assert over_http(sample, session, HLO_OP, tmp_path / "data", program=row.program, op=row.name) == (200, printed)
    assert printed["text"].startswith(f"%{row.name} = ")


def test_front_ends_agree_on_what_the_run_has_logged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for name, seconds in (("run", 3.0), ("other", 5.0)):
        with SummaryWriter(str(logs / name)) as writer:
            writer.add_hparams({"batch_size": 16}, {}, run_name=".")
            for epoch in range(3):
                writer.add_scalar("epoch_seconds", seconds + epoch, epoch)
    (logs / "run" / "host_1.1700000000000.pt.trace.json").write_text(json.dumps(trace()))
    printed = Terminal(capsys).json("throughput", logs, "--no-cache")
    assert in_python(logs, THROUGHPUT) == printed
    assert over_http(logs, profile_at(str(logs)).session.name, THROUGHPUT, tmp_path / "data") == (200, printed)
    assert (printed["logged"]["run_name"], printed["throughput"]["batch_size"]) == ("run", 16)
    assert [one["seconds"] for one in printed["logged"]["epochs"]] == [3, 4, 5]


def test_front_ends_agree_on_logged_memory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "logs")
    with SummaryWriter(str(logs.path / "run")) as writer:
        for step in range(50):
            writer.add_scalar("system/process/rss_mib", 1000.0 + step, step, 1.7e9 + 60 * step)
            writer.add_scalar("torch/allocated", 2.0, step, 1.7e9 + 60 * step)
    terminal = Terminal(capsys)
    assert terminal.run("memory", logs.path, "--series", "torch/allocated", "--unit", "GB", "--keep")[0] == 0
    printed = terminal.json("memory", logs.path)
    assert [row["tag"] for row in printed["series"]] == ["system/process/rss_mib", "torch/allocated"]
    (run,) = stepscope.open(logs.path).runs
    assert {"devices": [], **msgspec.to_builtins(run.memory())} == printed
    logs.load()
    project = Project(Reads(logs.library), logs.loader, UserState(), (Root("", str(logs.path)),))
    answer = TestClient(Application(project).asgi, base_url="http://localhost").get(f"{API}/profile/memory/logged").json()
    assert {"devices": [], **{key: answer[key] for key in ("sentence", "series", "advice")}} == printed
