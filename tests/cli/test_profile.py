"""`stepscope profile …` on a small trace: the keys of --json, lines that fit 80 columns, exit codes and one-sentence errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import LOADER, STEP_US, event, trace
from stepscope.cli.verbs import run_verbs
from stepscope.rules.all_rules import ALL_RULES


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(trace()))
    return path


@pytest.fixture
def slow_profile(tmp_path: Path) -> Path:
    """The same twenty times slower: a wait of a third of a millisecond is no reason for worker processes."""
    found = trace()
    for one in found["traceEvents"]:
        one |= {key: 20 * one[key] for key in ("ts", "dur") if key in one}
    path = tmp_path / "slow_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(found))
    return path


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_report(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("report", profile)
    assert (got["definitions"], got["step_source"]) == (6, "ProfilerStep#")
    assert got["step_ms"] == {"median": 1.0, "p95": 1.0, "typical": 1.0}
    assert got["breakdown"] == pytest.approx(
        {"compute": 0.4, "communication": 0, "copy": 0.1, "input_wait": 0.3, "host": 0.1, "untraced": 0.1}
    )
    assert sum(got["parts"].values()) == pytest.approx(1.0)
    assert (got["parts"]["h2d"], got["parts"]["launch"], got["parts"]["op"]) == pytest.approx((0.1, 0.04, 0.06))
    assert (got["replay_error"], got["communication"]["split"]) == (0, "no communication")
    assert got["data_quality"]["typical_steps"] == 5
    assert got["matrix_core"] == {"used": 1.0, "unknown": 0.0}
    assert [row["name"] for row in got["most_exposed"]][:2] == [
        "aten::mm",
        LOADER,
    ]


def test_report_says_what_to_change(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("report", profile)
    first = got["findings"][0]
    assert (first["rule"], first["verdict"], first["noted"]) == ("input_bound", "fires", False)
    assert 0.03 <= first["gain"]["low"] <= first["gain"]["high"] == pytest.approx(0.3)
    assert first["evidence"][0]["spans"]["track"] == "thread 100"
    assert first["evidence"][0]["spans"]["rows"] == [1, 2]
    assert set(first["change"]) == {"tensorflow", "pytorch", "jax"}
    assert len(got["findings"]) == got["checked"]["rules"] == len(ALL_RULES)
    assert sum(got["checked"][verdict] for verdict in ("fires", "quiet", "cannot_tell")) == len(ALL_RULES)
    assert first["code"] == first["change"]["pytorch"]
    assert all(each["option"] for each in got["findings"] if each["verdict"] == "cannot_tell")


def test_report_says_why_the_device_is_idle(terminal: Terminal, profile: Path) -> None:
    report = terminal.json("report", profile)
    idle = report["ranks"][0]["idle"]
    first = idle["causes"][0]
    assert (first["cause"], first["names_total"], first["gaps_per_step"]) == ("input_wait", 1, 1)
    assert (first["names"][0]["part"], first["names"][0]["name"]) == ("input", LOADER)
    assert sum(one["ms"] for one in idle["causes"]) == pytest.approx(0.5) == idle["ms"]
    names = [name for one in idle["causes"] for name in one["names"]]
    for part in ("input", "op", "launch"):
        assert sum(one["ms"] for one in names if one["part"] == part) == pytest.approx(report["parts"][part])
    _, out, _ = terminal.run("report", profile)
    assert any(line.startswith(f"  input wait: {LOADER[:8]}") for line in out.split("\nIdle time\n")[1].splitlines())


def test_cores_decide_what_is_advised_about_input(terminal: Terminal, slow_profile: Path) -> None:
    unknown, one, many = (
        terminal.json("report", slow_profile, *given)["findings"][0] for given in ((), ("--cores", "1"), ("--cores", "64"))
    )
    assert [each["rule"] for each in (unknown, one, many)] == ["input_bound"] * 3
    assert [each["gain"]["kind"] for each in (unknown, one, many)] == ["at_best", "removes", "moves"]
    assert "cheaper" in one["title"]


def test_a_step_without_the_profiler_is_what_is_promised(terminal: Terminal, profile: Path) -> None:
    unknown, known = terminal.json("report", profile), terminal.json("report", profile, "--step-ms", "0.8")
    assert (unknown["inflation"], known["inflation"]) == (None, pytest.approx(0.25))
    before, after = (each["findings"][0] for each in (unknown, known))
    assert after["gain"]["high"] == pytest.approx(before["gain"]["high"])
    assert after["step_ms"]["low"] == pytest.approx(0.8 * before["step_ms"]["low"])
    _, out, _ = terminal.run("report", profile, "--step-ms", "0.8")
    assert "25%" in " ".join(out.split()).split("Data quality: ")[1]


def test_report_shows_changes_as_text(terminal: Terminal, slow_profile: Path) -> None:
    _, out, _ = terminal.run("report", slow_profile)
    lines = out.splitlines()
    first = terminal.json("report", slow_profile)["findings"][0]
    start = lines.index("Recommendations")
    assert lines[start + 1].startswith(f"  1. {first['title']} (")
    assert lines[start + 2].startswith(f"     {first['summary'][:50]}")
    assert any(line.startswith("           num_workers=4,") for line in lines)
    assert any(line.startswith(f"  {len(ALL_RULES)} rules checked: ") for line in lines)
    assert max(map(len, lines)) <= 80


def test_report_as_text(terminal: Terminal, profile: Path) -> None:
    code, out, err = terminal.run("report", profile)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert terminal.json("report", profile)["summary"].startswith(lines[0])
    assert max(map(len, lines)) <= 80
    assert ["compute", "0.40", "ms", "40.0%", "████████████████"] in [line.split() for line in lines]
    assert "5 steps by ProfilerStep#" in lines
    quality = " ".join(out.split("\nData quality: ")[1].split())
    assert quality.startswith("5 of 5 steps used; 0 of 10 device spans unlinked; replay error 0.0%.")


def test_steps(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("steps", profile)
    assert (got["step_source"], [row["step"] for row in got["steps"]]) == ("ProfilerStep#", [0, 1, 2, 3, 4])
    assert all(sum(row["parts"].values()) == pytest.approx(row["ms"]) for row in got["steps"])
    assert got["steps"][0]["may_hold_profiler_start"]
    assert not got["steps"][1]["may_hold_profiler_start"]
    assert len(terminal.json("steps", profile, "--steps-by", "whole profile")["steps"]) == 1


def test_an_outlier_says_what_its_part_grew_by_and_not_what_the_step_did(terminal: Terminal, tmp_path: Path) -> None:
    drawn = trace(6)
    last = 5 * STEP_US
    marker = next(each for each in drawn["traceEvents"] if each["name"] == "ProfilerStep#5")
    marker["dur"] = 2 * STEP_US
    drawn["traceEvents"].append(event("user_annotation", LOADER, last + STEP_US, 700))
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(drawn))
    slow = terminal.json("steps", path)["steps"][5]
    assert (slow["ms"], slow["grew"]) == (pytest.approx(2.0), "input")
    assert slow["grew_ms"] == pytest.approx(0.7)
    assert "* +0.70 input\n" in terminal.run("steps", path)[1]
    assert "step 5: 2.00 ms, +0.70 ms" in terminal.run("report", path)[1]


def test_ops(terminal: Terminal, profile: Path) -> None:
    rows = {(row["name"], row["device"]): row for row in terminal.json("ops", profile)["ops"]}
    host, device = rows["aten::mm", "host"], rows["aten::mm", "GPU 0"]
    assert (host["count"], host["total_us"], host["self_us"], host["exposed_us"]) == (5, 500, 300, 60)
    assert (device["count"], device["total_us"], device["exposed_share"]) == (5, 2500, pytest.approx(0.5))
    assert (host["flops"], host["bytes"], host["memory_bytes"]) == (5 * 2 * 8**3, None, None)
    assert host["shapes"] == ["[[8, 8], [8, 8]]"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--contains", "DATALOADER"), {LOADER}),
        (("--min-time", "2000"), {"aten::mm"}),
        (("--calls", "--contains", "cuda"), {"cudaLaunchKernel", "cudaMemcpyAsync"}),
        (("--min-bytes", "1"), set()),
    ],
)
def test_ops_can_be_narrowed(terminal: Terminal, profile: Path, options: tuple[str, ...], names: set[str]) -> None:
    assert {row["name"] for row in terminal.json("ops", profile, *options)["ops"]} == names


def test_kernels(terminal: Terminal, profile: Path) -> None:
    (row,) = terminal.json("kernels", profile)["kernels"]
    assert (row["name"], row["op"], row["count"], row["total_us"]) == ("ampere_bf16_s16816gemm_128x64", "aten::mm", 5, 2000)
    assert (row["matrix_core"], row["grid"], row["block"]) == (True, [4, 1, 1], [128, 1, 1])
    assert (row["achieved_occupancy"], row["achieved_occupancy_from"]) == (None, "")
    # Products of 8 × 8 in 16 bits: 1,024 FLOPs and 384 bytes in 400 µs.
    assert (row["flops"], row["flops_from"], row["bytes"], row["bytes_from"]) == (5 * 1024, "shapes", 5 * 384, "shapes")
    assert (row["flops_per_byte"], row["flops_per_second"]) == (pytest.approx(1024 / 384), pytest.approx(1024 / 400e-6))
    assert (row["bound_by"], row["peaks_from"]) == ("memory", "published")
    assert row["share_of_roof"] == pytest.approx(384 / 400e-6 / 1555e9)
    assert row["ridge_flops_per_byte"] == pytest.approx(312e12 / 1555e9)
    assert "A100 has a peak of" in terminal.run("kernels", profile)[1]
    assert row["launch_delay_us"] == 60


def test_transfers(terminal: Terminal, profile: Path) -> None:
    (row,) = terminal.json("transfers", profile)["transfers"]
    assert (row["direction"], row["source_memory"], row["bytes"]) == ("host to device", "pageable", 5_000_000)
    assert row["bytes_per_second"] == pytest.approx(1e10)


def test_input(terminal: Terminal, profile: Path) -> None:
    (found,) = terminal.json("input", profile)["inputs"]
    assert (found["in_processes"], found["fetches"], found["waited_us"], found["step_us"]) == (False, 5, 300, 1000)
    assert found["loader"].startswith("DataLoader ")
    assert [(each["phase"], each["waited_us"], each["beside_us"]) for each in found["phases"]] == [("unknown", 300, 0)]
    assert (found["stages"], found["slowest"], found["remedies"]) == ([], "", [])
    out = terminal.run("input", profile)[1]
    assert all(number in out for number in ("1.00 ms", "0.30", "30.0%"))


def test_input_without_a_fetch_says_what_to_do(terminal: Terminal, tmp_path: Path) -> None:
    quiet = trace()
    quiet["traceEvents"] = [each for each in quiet["traceEvents"] if each["name"] != LOADER]
    path = tmp_path / "quiet.pt.trace.json"
    path.write_text(json.dumps(quiet))
    out = terminal.run("input", path)[1]
    assert "stepscope profile kinds" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("verb", ["ops", "kernels", "transfers"])
def test_tables_as_csv(terminal: Terminal, profile: Path, verb: str) -> None:
    _, out, _ = terminal.run(verb, profile, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    wanted = terminal.json(verb, profile)[verb]
    assert [row["device"] for row in rows] == [row["device"] for row in wanted]
    assert [float(row["total_us"]) for row in rows] == [row["total_us"] for row in wanted]
    assert set(rows[0]) == set(wanted[0])


def test_names_in_csv_are_escaped_on_a_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = trace()
    for each in evil["traceEvents"]:
        if each["cat"] == "kernel":
            each["name"] = "gemm\x1b]0;owned\x07"
    path = tmp_path / "evil.pt.trace.json"
    path.write_text(json.dumps(evil))
    arguments = ["profile", "kernels", str(path), "--csv"]
    assert run_verbs(arguments) == 0
    assert "gemm\x1b]0;owned\x07" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run_verbs(arguments) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "gemm\\x1b]0;owned\\x07" in said


def test_a_name_in_csv_that_a_spreadsheet_would_run_is_shown(terminal: Terminal, tmp_path: Path) -> None:
    evil = trace()
    for each in evil["traceEvents"]:
        if each["cat"] == "kernel":
            each["name"] = "=1+1"
    path = tmp_path / "evil.pt.trace.json"
    path.write_text(json.dumps(evil))
    _, out, _ = terminal.run("kernels", path, "--csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["name"] == "'=1+1"
    assert float(row["total_us"]) > 0


@pytest.mark.parametrize("kept", ["host", "device"])
def test_a_file_that_was_cut_says_so_first(terminal: Terminal, tmp_path: Path, kept: str) -> None:
    """Writers put the device's events last: without them the rest must not pass for a training on the CPU."""
    whole = trace()
    whole["traceEvents"].sort(key=lambda each: each["cat"] in ("kernel", "gpu_memcpy"))
    path = tmp_path / "cut.pt.trace.json"
    text = json.dumps(whole)
    path.write_text(text[: text.index('"kernel"') if kept == "host" else -40])
    _, out, _ = terminal.run("report", path)
    assert out.startswith("The file is truncated")
    assert ("A100" in out.splitlines()[0]) is (kept == "host")
    quality = terminal.json("report", path)["data_quality"]
    assert quality["cut_short"]
    assert "truncated" in {note["code"] for note in quality["notes"]}
    assert quality["weak"][0].startswith("The file is truncated")


def test_a_file_of_which_nothing_timed_is_left(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "cut.pt.trace.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "py"}}, {"ph"')
    code, _, said = terminal.run("report", path)
    assert code == 2
    assert "is truncated" in said


@pytest.mark.parametrize("verb", ["report", "steps", "ops", "kernels", "transfers", "input"])
def test_lines_fit_a_terminal(terminal: Terminal, tmp_path: Path, verb: str) -> None:
    slow = trace(6)
    for each in slow["traceEvents"]:
        if each["cat"] in ("kernel", "cpu_op"):
            each["name"] += "_with_a_name_that_is_so_long_that_no_terminal_could_show_it_in_a_table" * 2
    path = tmp_path / "slow.pt.trace.json"
    path.write_text(json.dumps(slow))
    code, out, _ = terminal.run(verb, path)
    assert code == 0
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_names_cannot_move_the_cursor(terminal: Terminal, tmp_path: Path) -> None:
    hostile = trace()
    for each in hostile["traceEvents"]:
        if each["cat"] in ("kernel", "cpu_op"):
            each["name"] = "a\x1b[2Jb"
    path = tmp_path / "hostile.pt.trace.json"
    path.write_text(json.dumps(hostile))
    for verb in ("report", "ops", "kernels"):
        _, out, _ = terminal.run(verb, path)
        assert "\x1b" not in out
        assert "a\\x1b[2Jb" in out


def test_of_a_log_folder_the_newest_session_is_taken(terminal: Terminal, tmp_path: Path) -> None:
    for name, steps in (("host_1.1700000000000", 3), ("host_1.1700000900000", 4)):
        (tmp_path / f"{name}.pt.trace.json").write_text(json.dumps(trace(steps)))
    code, out, err = terminal.run("steps", tmp_path, "--json")
    assert (code, len(json.loads(out)["steps"])) == (0, 4)
    assert err.index("host_1.1700000900000") < err.index("others: host_1.1700000000000")


def test_ranks_of_a_session(terminal: Terminal, tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"host_{rank}.1700000000{rank}00.pt.trace.json").write_text(json.dumps(trace(4, rank, 3)))
    got = terminal.json("report", tmp_path)
    assert ([row["rank"] for row in got["ranks"]], got["slowest"], got["ranks_equal"]) == ([0, 1], "", True)
    assert got["data_quality"]["missing_ranks"] == [2]
    _, out, _ = terminal.run("report", tmp_path)
    assert "(slowest)" not in out, "both take the same time"
    assert "0.1%" in out
    assert "  1.00      40%" in out
    assert max(map(len, out.splitlines())) <= 80, "what is said of the data wraps as well"


@pytest.mark.parametrize("content", ["", "hello", None])
def test_what_cannot_be_read_is_said_in_one_sentence(terminal: Terminal, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "x.pt.trace.json"
    if content is not None:
        path.write_text(content)
    code, out, err = terminal.run("report", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert path.name in err


def test_without_a_verb_the_help_is_shown(terminal: Terminal) -> None:
    code, out, err = terminal.run()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: stepscope profile")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bogus",), "No such command 'bogus'; see stepscope profile --help."),
        (("reports",), "No such command 'reports'; did you mean report?"),
        (("report",), "Missing argument 'PROFILE'; see stepscope profile report --help."),
        (("ops", "x", "--zzz"), "No such option '--zzz'; see stepscope profile ops --help."),
    ],
)
def test_what_was_typed_wrong_is_said_in_one_sentence(terminal: Terminal, arguments: tuple[str, ...], said: str) -> None:
    assert terminal.run(*arguments) == (2, "", f"stepscope: {said}\n")


def test_an_empty_folder(terminal: Terminal, tmp_path: Path) -> None:
    code, _, err = terminal.run("report", tmp_path)
    assert (code, str(tmp_path) in err) == (2, True)


def test_an_unknown_source_of_steps(terminal: Terminal, profile: Path) -> None:
    code, _, err = terminal.run("steps", profile, "--steps-by", "epoch")
    assert code == 2
    assert "choose one of: ProfilerStep#" in err


def test_modules(terminal: Terminal, tmp_path: Path, profile: Path) -> None:
    assert terminal.run("modules", profile)[1].count("\n") == 1
    stacked = trace(1)
    stacked["traceEvents"].append(event("python_function", "nn.Module: Linear_0", 290, 120, module=0))
    path = tmp_path / "stacked.pt.trace.json"
    path.write_text(json.dumps(stacked))
    (row,) = terminal.json("modules", path)["modules"]
    assert (row["path"], row["calls"], row["forward"]["host_us"], row["forward"]["device_us"]) == ("Linear_0", 1, 120, 500)


def test_times_at_the_ends_of_the_world_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = 9_200_000_000_000_000
    lost = [event("cpu_op", "first", -far, 5), event("cpu_op", "last", far, far), event("kernel", "k", 5, far, on_device=True)]
    path = tmp_path / "far.json"
    path.write_text(json.dumps({"traceEvents": [*lost, *(event("cpu_op", "near", 100 * place, 50) for place in range(4))]}))
    assert run_verbs(["profile", "report", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert sum(answer["breakdown"].values()) == pytest.approx(1)
    (note,) = [each for each in answer["data_quality"]["notes"] if each["code"] == "far_times"]
    assert note["text"].startswith(f"{len(lost)} events")
    path.write_text(json.dumps({"traceEvents": lost}))
    assert run_verbs(["profile", "report", str(path), "--json"]) == 2
