"""The routes of compiled programs, on a small recording of JAX on a CPU."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.model.program_buffers import HeapAction, HeapEvent, PlannedBuffer, ProgramBuffers
from stepscope.server.app import Application
from stepscope.session.parts.memory_programs import planned
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

CAPTURE = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures" / "jax.xplane.pb"
PROGRAM = "jit_train_step(6)"


class HloServer:
    """A folder with one recording, and what its API answers."""

    def __init__(self, path: Path) -> None:
        self.file = path / "logs" / "plugins" / "profile" / "2026_11_15_19_27_11" / "vm.xplane.pb"
        self.file.parent.mkdir(parents=True)
        shutil.copy(CAPTURE, self.file)
        self.folder = LogFolder(path / "logs")
        self.folder.load()
        project = Project(Reads(self.folder.library), self.folder.loader, UserState(path / "data"), (Root("", str(path / "logs")),))
        self.client = TestClient(Application(project).asgi, base_url="http://localhost")
        self.session = self.client.get("/api/v1/profile/sessions").json()["sessions"][0]["id"]

    def part(self, part: str, status: int = 200, **query: Any) -> dict[str, Any]:
        """What a part of the session answers, or the whole answer when it is refused."""
        got = self.get(f"{self.session}/{part}", status, **query)
        return got["answer"] if status == 200 else got

    def get(self, route: str, status: int = 200, **query: Any) -> dict[str, Any]:
        """One answer, asked for until everything has been read."""
        for _ in range(20):
            answer = self.client.get(f"/api/v1/profile/{route}", params={"session": self.session, **query})
            assert answer.status_code == status, answer.text
            if not answer.json().get("reading"):
                return answer.json()
        raise AssertionError("The profile is never read.")


@pytest.fixture
def server(tmp_path: Path) -> HloServer:
    return HloServer(tmp_path)


def test_the_overview_tells_how_many_programs_there_are(server: HloServer) -> None:
    assert server.part("report")["programs"] == 4


def test_rows(server: HloServer) -> None:
    answer = server.part("hlo")
    rows = {row["name"]: row for row in answer["rows"]}
    assert answer["total"] == len(rows) == 4
    assert [row["name"] for row in server.part("hlo", limit=1, contains="DOT")["rows"]] == ["dot"]
    assert rows["dot"]["program"] == PROGRAM
    assert rows["dot"]["flops_per_second"] == pytest.approx(rows["dot"]["flops"] / rows["dot"]["total_us"] * 1e6)
    assert (rows["dot"]["bound_by"], rows["dot"]["wasted_us"], rows["dot"]["doubts"], rows["dot"]["has_text"]) == ("", None, [], True)
    assert any("no peak" in note for note in answer["notes"])
    programs = server.part("hlo", by="program")["rows"]
    assert [row["name"] for row in programs] == [PROGRAM]
    assert programs[0]["self_us"] == pytest.approx(sum(row["self_us"] for row in rows.values()))


def test_the_tree_runs_from_programs_to_what_is_fused(server: HloServer) -> None:
    nodes = server.part("hlo_tree")["nodes"]
    assert [node["kind"] for node in nodes[:3]] == ["program", "category", "op"]
    assert {node["depth"] for node in nodes} == {0, 1, 2, 3}
    assert all(node["program"] == PROGRAM for node in nodes)
    assert all((node["time_us"] is None) == (node["kind"] == "inside") for node in nodes)
    assert server.part("hlo_tree", waste=True)["total"] == len(nodes)


def test_one_operation(server: HloServer) -> None:
    found = server.part("hlo_op", program=PROGRAM, op="multiply_select_fusion", width=1)
    assert found["text"].startswith("%multiply_select_fusion = ")
    assert ".py:" in found["source"]
    names = {node["name"]: node["distance"] for node in found["neighbourhood"]["nodes"]}
    assert names["multiply_select_fusion"] == 0
    assert set(names.values()) == {-1, 0, 1}
    assert all(source in names and target in names for source, target in found["neighbourhood"]["edges"])
    assert "metadata=" in server.part("hlo_op", program=PROGRAM, op="dot", long=True)["text"]
    short = server.part("hlo_op", program="jit_train_step", op="multiply_select_fusion", lines=1)
    assert (short["text"], short["text_cut"]) == (found["text"].split("\n")[0], True)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"program": PROGRAM, "op": "nothing"}, 404),
        ({"program": "jit_f", "op": "dot"}, 404),
        ({"program": PROGRAM, "op": "dot", "width": 99}, 400),
    ],
)
def test_what_is_not_there(server: HloServer, query: dict[str, Any], status: int) -> None:
    answer = server.part("hlo_op", status, **query)
    assert answer["error"]["message"].endswith(".")


def test_a_file_that_changed_is_not_read_at_old_places(server: HloServer) -> None:
    server.part("span", row=0)  # reads the tables, but no program yet
    server.file.write_bytes(CAPTURE.read_bytes()[:1000])
    answer = server.part("hlo", 404)
    assert answer["error"]["code"] == "changed"


def test_programs_tell_what_they_need_before_they_run(server: HloServer) -> None:
    answer = server.client.get(f"/api/v1/profile/{server.session}/memory", params={"programs": True}).json()["answer"]
    assert (answer["total"], answer["notes"], answer["devices"]) == (len(answer["programs"]), [], [])
    sizes = [program["total_bytes"] for program in answer["programs"]]
    assert sizes == sorted(sizes, reverse=True)
    program = next(each for each in answer["programs"] if each["name"] == PROGRAM)
    parts = ("parameter", "output", "constant", "temporary")
    assert program["total_bytes"] == sum(program[f"{part}_bytes"] for part in parts)
    assert program["level_bytes"][program["peak"]] == program["peak_bytes"] == max(program["level_bytes"])
    assert sum(row["bytes"] for row in program["at_peak"]) + program["at_peak_left_out_bytes"] == program["peak_bytes"]


WHOSE: dict[str, object] = {"worker": "", "host": "", "rank": None}


def test_long_plans_are_drawn_in_stretches() -> None:
    buffers = {place: PlannedBuffer(1, f"op{place}") for place in range(5_000)}
    plan = [HeapEvent(HeapAction.TAKE, place, -1, f"at{place}") for place in range(5_000)]
    row = planned(ProgramBuffers("p", buffers, [], [plan]), 100, 600, WHOSE)
    assert (row.events, row.peak_bytes, row.peak_instruction) == (5_000, 5_000, "at4999")
    assert (len(row.level_bytes), row.level_bytes[0], row.level_bytes[-1], row.peak) == (600, 8, 5_000, 599)
    assert (len(row.at_peak), row.at_peak_left_out_bytes) == (100, 4_900)


def test_a_program_without_a_plan_has_no_peak() -> None:
    row = planned(ProgramBuffers("p", {}, [], []), 0, 600, WHOSE)
    assert (row.level_bytes, row.peak, row.peak_bytes) == ([], None, 0)
