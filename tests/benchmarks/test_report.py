"""The page of benchmarks: every figure with date and commit, stale ones marked, like compared with like, other parts left alone."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import forms
import loading
import measured_at
import report
from own_peak import peak_bytes
from truth import calibrate, proof
from write_form import WRITERS

RESULTS: dict[str, Any] = json.loads(report.RESULTS.read_text())
WRITE_ANEW = "write it anew: PYTHONPATH=src:benchmarks python benchmarks/report.py"


def test_the_page_is_that_of_the_results_and_marks_what_is_stale() -> None:
    assert report.PAGE.read_text() == report.page(RESULTS), WRITE_ANEW


def test_every_section_has_sources_that_exist_and_a_stamp() -> None:
    assert set(report.SOURCES) == set(report.SECTIONS)
    assert [path for each in report.SOURCES.values() for path in each if not (report.ROOT / path).exists()] == []
    measured = set(RESULTS) - {"stamps"}
    assert set(RESULTS["stamps"]) == measured <= set(report.SECTIONS)
    for stamp in RESULTS["stamps"].values():
        assert stamp["date"]
        assert stamp["commit"]


def stamped(sources: str) -> dict[str, Any]:
    machine = {"cores": 2, "processor": "a processor", "memory_gb": 8.0, "system": "Linux", "python": "3.13"}
    return {"memory": {}, "stamps": {"memory": {"date": "d", "commit": "c", "sources": sources, "machine": machine, "libraries": {}}}}


def test_a_figure_is_stale_when_its_code_has_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measured_at, "ROOT", tmp_path)
    monkeypatch.setitem(report.SOURCES, "memory", ("code",))
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    results = stamped(measured_at.sources_of(("code",)))
    assert "Stale" not in report.stamped("memory", results)
    (tmp_path / "code" / "a.txt").write_text("no code")
    assert "Stale" not in report.stamped("memory", results)
    (tmp_path / "code" / "a.py").write_text("2")
    assert "**Stale**" in report.stamped("memory", results)


def test_what_a_measurement_writes_does_not_make_it_stale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written = [proof.TABLE, calibrate.FILE]
    names = [path.relative_to(report.ROOT).as_posix() for path in written]
    monkeypatch.setattr(measured_at, "ROOT", tmp_path)
    for name in [*names, "src/stepscope/rules/judge.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    before = measured_at.sources_of(("src",))
    for name in names:
        (tmp_path / name).write_text("2")
    assert measured_at.sources_of(("src",)) == before
    (tmp_path / "src/stepscope/rules/judge.py").write_text("2")
    assert measured_at.sources_of(("src",)) != before


def run_module() -> Any:
    """By its path: tools/ has a module of the same name."""
    spec = spec_from_file_location("benchmarks_run", report.ROOT / "benchmarks" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_a_part_keeps_the_stamps_of_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = run_module()
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"live": {"old": 1}, "stamps": {"live": {"date": "old"}}}))
    monkeypatch.setattr(report, "RESULTS", file)
    monkeypatch.setattr(report, "write", lambda: None)
    monkeypatch.setattr(loading, "memory", lambda _: {"points": 1})
    monkeypatch.setattr(run, "stamp", lambda *_: {"date": "new"})
    monkeypatch.setenv("STEPSCOPE_PEERS_PYTHON", sys.executable)
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "memory"])
    run.main()
    found = json.loads(file.read_text())
    assert found == {"live": {"old": 1}, "memory": {"points": 1}, "stamps": {"live": {"date": "old"}, "memory": {"date": "new"}}}


def test_processes_start_as_they_do_when_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    run_module().as_installed()
    code = "import sys; print(sys.dont_write_bytecode)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_the_whole_report_is_beside_the_overview() -> None:
    def side(seconds: float, peak: float, process: float) -> dict[str, float]:
        return {"seconds": seconds, "peak_mb": peak, "process_seconds": process}

    ours = {"ops": side(1, 100, 2), "overview": side(0.5, 100, 1)}
    peers = {"ops": side(8, 1000, 10), "overview": side(15, 1000, 18)}
    found = {"xspace": {"sizes": [ours], "peer": peers, "xprof": "2"}, "report": {"cold": {"seconds": 3.0, "peak_mb": 200}}}
    text = report.beside_xprof(found)
    assert "operations | 2 s | 10 s | 5× | 100 MB | 1,000 MB | 10% |" in text
    assert "| whole report | 3 s | 18 s | 6× | 200 MB | 1,000 MB | 20% |" in text
    assert "15" not in text.split("Whole processes")[0], "no figure without its imports is beside one with them"


def test_forms_are_listed_with_whole_processes() -> None:
    assert list(report.FORMS) == [form.name for form in forms.FORMS]
    assert {form.writer for form in forms.FORMS} == set(WRITERS)
    assert {form.shape.events for form in forms.FORMS} == {2_000_000}
    times = {"stepscope": {"process_seconds": 0.2, "load_seconds": 0.1}, "data_server": {"process_seconds": 1.0, "load_seconds": 0.9}}
    row = {
        "form": "torch",
        "runs": 20,
        "tags": 10,
        "points": 2_000_000,
        "bytes": 1e8,
        "rounds": 5,
        **times,
        "times_faster_load": 9.0,
        "times_faster_process": 5.0,
    }
    assert "| 20 × 10 | 100 MB | 200 ms | 1 s | 5× | 9× |" in report.forms([row])


def test_how_the_servers_were_asked_is_said() -> None:
    assert "50 ms" in report.polled({"poll_seconds": 0.05}, 1.0)
    assert "every 1 s" in report.polled({}, 1.0)


def test_the_peak_is_the_process_own() -> None:
    before = peak_bytes()
    filled = bytearray(64 << 20)
    filled[::4096] = b"1" * len(filled[::4096])
    assert peak_bytes() >= before
    assert peak_bytes() > 64 << 20


def test_reductions_beyond_the_limits_of_tensorboard_are_marked() -> None:
    view = {"drawn_ms": 2500.0, "frame_ms": 16.7, "slow_frame_ms": 22.4}
    rows = [{"points": points, "tsne_seconds": 20.0, "umap_seconds": 6.0} for points in (5_000, 10_000, 20_000)]
    found = {"points": 100_000, "dimensions": 256, "views": {"text": view, "raw": view}, "reductions": rows}
    lines = [line for line in report.projector(found).splitlines() if line.startswith("| ")]
    assert [line.count("not in TensorBoard") for line in lines[-3:]] == [0, 1, 2]
    assert any("17 ms" in line and "22 ms" in line for line in lines)


def test_a_large_graph() -> None:
    found = {"nodes": 50_000, "drawn_ms": 1250.0, "opened_ms": 1300.0, "frame_ms": 16.7, "slow_frame_ms": 18.0}
    line = report.graphs(found).splitlines()[-1]
    assert [cell.strip() for cell in line.strip("|").split("|")] == ["50,000", "1.25 s", "1.3 s", "17 ms", "18 ms"]


def test_a_large_search() -> None:
    readings = {f"{name}_seconds": 0.25 for name in ("first", "last", "best", "mean", "at")}
    found = {"runs": 5000, "hparams": 50, "metrics": 20, "drawn_ms": 900.0, "frame_ms": 16.7, "slow_frame_ms": 21.2, **readings}
    text = report.hparams(found)
    assert text.count("250 ms") == 5
    assert "5,000 runs" in text
    assert "17 ms" in text
