"""`stepscope export`: the HTML file to share, all points in other formats, and which runs and tags."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from curves_files import curves_inside, groups_inside, use_small_curves_bundle
from hparam_logs import trial
from log_folder import LogFolder
from report_files import embedded
from stepscope.cli.export import command
from stepscope.cli.written_file import check_name, write_file
from stepscope.model.errors import BadInput
from stepscope.store.user_state import UserState


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_curves_bundle(tmp_path, monkeypatch)
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def logs(folder: LogFolder) -> LogFolder:
    folder.write("a/train", {"loss": [3, 2, 1], "lr": [0.1]})
    folder.write("a/validation", {"loss": [4, 3]})
    folder.write("b", {"loss": [5.0] * 100, "val/acc": [0.5]})
    return folder


def export(logs: LogFolder, *arguments: str | Path) -> Result:
    result = CliRunner().invoke(command, [str(logs.path), "--no-cache", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def refusal(logs: LogFolder, *arguments: str | Path) -> str:
    with pytest.raises(BadInput) as refused:
        CliRunner().invoke(command, [str(logs.path), "--no-cache", *map(str, arguments)], catch_exceptions=False)
    return refused.value.code


def test_the_file_has_all_runs_and_tags_and_its_size_is_told(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    said = export(logs, "--html", target).output
    assert said.startswith(f"{target}: 3 runs, 3 tags, ")
    assert set(curves_inside(target.read_text())) == {
        ("a/train", "loss"),
        ("a/train", "lr"),
        ("a/validation", "loss"),
        ("b", "loss"),
        ("b", "val/acc"),
    }
    assert embedded(target.read_text())["title"] == "logs"


def test_runs_and_tags_are_chosen_by_name_pattern_and_experiment(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    export(logs, "--html", target, "--run", "a", "--tag", "lo*", "--title", "Paper, figure 2")
    found = curves_inside(target.read_text())
    assert set(found) == {("a/train", "loss"), ("a/validation", "loss")}
    assert found[("a/train", "loss")]["y"].tolist() == [3, 2, 1]
    assert embedded(target.read_text())["title"] == "Paper, figure 2"
    export(logs, "--html", target, "--run", "*/train", "--run", "b", "--tag", "lr", "--tag", "val/acc")
    assert set(curves_inside(target.read_text())) == {("a/train", "lr"), ("b", "val/acc")}


def test_points_are_reduced_as_asked(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    for asked, most, exact in (("8", 8, False), ("all", 100, True), ("2000", 100, True)):
        export(logs, "--html", target, "--run", "b", "--points", asked)
        curve = curves_inside(target.read_text())[("b", "loss")]
        assert (curve["points"], curve["exact"], len(curve["x"]) <= most) == (100, exact, True)


@pytest.mark.slow
def test_a_long_curve_has_every_point(folder: LogFolder, tmp_path: Path) -> None:
    folder.write("long", {"loss": [float(step % 7) for step in range(300_000)]})
    target = tmp_path / "out.html"
    export(folder, "--html", target, "--points", "all")
    curve = curves_inside(target.read_text())[("long", "loss")]
    assert (curve["points"], curve["exact"], len(curve["x"])) == (300_000, True, 300_000)


def test_groups_are_their_mean_and_confidence_interval(folder: LogFolder, tmp_path: Path) -> None:
    for seed, last in enumerate((1.0, 2.0, 6.0)):
        folder.write(f"s{seed}", {"loss": [4.0, last]})
        trial(folder.path / f"s{seed}", {"lr": 0.1, "seed": float(seed)})
    target = tmp_path / "out.html"
    export(folder, "--html", target, "--group-by", "seed")
    group = groups_inside(target.read_text())[("loss", "all runs")]
    half = 4.302652729911275 * 7**0.5 / 3**0.5
    assert (group["mid"].tolist(), group["n"].tolist()) == ([4.0, 3.0], [3, 3])
    assert group["low"].tolist() == pytest.approx([4.0, 3.0 - half], rel=1e-6)
    assert group["high"].tolist() == pytest.approx([4.0, 3.0 + half], rel=1e-6)
    export(folder, "--html", target, "--group-by", "lr", "--band", "minmax")
    group = groups_inside(target.read_text())[("loss", "0.1")]
    assert (group["low"].tolist(), group["high"].tolist()) == ([4.0, 1.0], [4.0, 6.0])
    assert refusal(folder, "--html", target, "--group-by", "depth") == "unknown_setting"
    export(folder, "--html", target)
    assert embedded(target.read_text())["groups"] == ""


def test_every_point_as_parquet(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    export(logs, "--parquet", target, "--tag", "loss")
    table = pq.read_table(target)
    found = list(zip(*(table[name].to_pylist() for name in ("run", "tag", "step", "value")), strict=True))
    assert found[:5] == [
        *(("a/train", "loss", step, 3.0 - step) for step in range(3)),
        *(("a/validation", "loss", step, 4.0 - step) for step in range(2)),
    ]
    assert len(found) == 105
    assert {str(table.schema.field(name).type) for name in ("value", "wall_time")} == {"double"}


def test_notes_are_inside_and_hidden_runs_are_not(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    export(logs, "--html", target)
    ids = {run["name"]: run["id"] for run in embedded(target.read_text())["runs"]}
    state = UserState()
    state.of("local").change_runs(str(logs.path), [ids["b"]], {"note": "diverged", "display_name": "baseline"})
    state.of("local").change_runs(str(logs.path), [ids["a/train"]], {"hidden": True})
    state.close()
    export(logs, "--html", target)
    rows = {run["name"]: run for run in embedded(target.read_text())["runs"]}
    assert "a/train" not in rows
    assert rows["b"]["note"] == "diverged"
    export(logs, "--html", target, "--run", "baseline")
    assert [run["name"] for run in embedded(target.read_text())["runs"]] == ["b"]


def test_every_point_as_csv_and_json(logs: LogFolder, tmp_path: Path) -> None:
    table, rows = tmp_path / "out.csv", tmp_path / "out.json"
    export(logs, "--csv", table, "--run", "a/*", "--tag", "loss")
    with table.open() as file:
        found = [(row["run"], int(row["step"]), float(row["value"])) for row in csv.DictReader(file)]
    assert found == [("a/train", 0, 3), ("a/train", 1, 2), ("a/train", 2, 1), ("a/validation", 0, 4), ("a/validation", 1, 3)]
    export(logs, "--json", rows, "--run", "a/*", "--tag", "loss")
    assert [(row["run"], row["step"], row["value"]) for row in json.loads(rows.read_text())] == found


def test_what_cannot_be_exported_is_one_sentence(logs: LogFolder, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert refusal(logs) == "one_file"
    assert refusal(logs, "--html", target, "--csv", tmp_path / "out.csv") == "one_file"
    assert refusal(logs, "--html", tmp_path / "events.out") == "wrong_ending"
    assert refusal(logs, "--html", target, "--run", "gone") == "no_runs"
    assert refusal(logs, "--html", target, "--tag", "gone*") == "no_tags"
    assert refusal(logs, "--html", tmp_path / "gone" / "out.html") == "not_written"
    assert not target.exists()
    for points in ("3", "many", "-1"):
        result = CliRunner().invoke(command, [str(logs.path), "--html", str(target), "--points", points])
        assert (result.exit_code, target.exists()) == (2, False)


def test_a_file_is_written_over_an_older_one_of_its_kind(tmp_path: Path) -> None:
    target = tmp_path / "OUT.HTML"
    target.write_text("older and longer")
    check_name(str(target), (".html",))
    assert write_file(str(target), [b"ab", b"c"]) == 3
    assert target.read_bytes() == b"abc"
