"""The Profiler by hand: options by method and by key, steps, files, and one sentence for what cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import event_bytes as eb
from graph_bytes import graph_def, shape
from opened_profiles import open_profile
from stepscope.model.errors import BadInput
from stepscope.tfprof import ProfileOptionBuilder, Profiler, advise, profile
from stepscope.tfprof.inputs import nodes_of, serialised
from stepscope.tfprof.results import ProfileNode

START = 1_700_000_000_000_000
QUIET = ProfileOptionBuilder().with_empty_output().build()
CPU, GPU, STREAM = b"/job:a/device:CPU:0", b"/device:GPU:0", b"/device:GPU:0/stream:all"


def event(name: bytes, start: int, us: int, size: int = 0) -> bytes:
    memory = eb.message(6, eb.message(1, b"cpu"), eb.integer(2, size), eb.integer(3, size + 1), eb.integer(4, size)) if size else b""
    return eb.message(2, eb.message(1, name), eb.integer(2, START + start), eb.integer(4, us), memory)


def run_metadata(**devices: list[bytes]) -> bytes:
    names = {"cpu": CPU, "gpu": GPU, "stream": STREAM}
    return eb.message(1, *(eb.message(1, eb.message(1, names[key]), *events) for key, events in devices.items()))


def model() -> bytes:
    lines = ["x: Placeholder", "net/w: VariableV2", "net/MatMul: MatMul x net/w", "net/Relu: Relu net/MatMul"]
    return graph_def(lines, {"net/w": {"shape": shape(4, 8)}})


def profiled(*steps: tuple[int, bytes]) -> Profiler:
    profiler = Profiler(model())
    for step, data in steps:
        profiler.add_step(step, data)
    return profiler


FIRST = run_metadata(cpu=[event(b"net/MatMul", 0, 10, 128), event(b"net/Relu:Relu", 12, 0), event(b"_SOURCE", 0, 9)])
SECOND = run_metadata(gpu=[event(b"net/MatMul", 0, 5)], stream=[event(b"net/MatMul", 6, 21)])


def test_steps_are_averaged_or_chosen() -> None:
    profiler = profiled((1, FIRST), (4, run_metadata(cpu=[event(b"net/MatMul", 0, 21, 64)])))
    assert profiler.steps == [1, 4]
    root = profiler.profile_name_scope(QUIET)
    (net,) = [row for row in root.children if row.name == "net"]
    matmul = {row.name: row for row in net.children}["net/MatMul"]
    assert (matmul.exec_micros, matmul.requested_bytes, matmul.peak_bytes, matmul.run_count) == (15, 96, 97, 1)  # (10 + 21) // 2
    assert {row.name: row.exec_micros for row in net.children}["net/Relu"] == 1  # what took no whole microsecond counts as one
    assert profiler.profile_name_scope({**QUIET, "step": 4}).total_exec_micros == 21
    assert (net.exec_micros, net.total_exec_micros, net.total_parameters) == (0, 16, 32)
    assert matmul.devices == ["/job:a/device:cpu:0"]


def test_time_on_an_accelerator_is_apart() -> None:
    root = profiled((0, SECOND)).profile_operations(QUIET)
    (matmul,) = [row for row in root.children if row.name == "MatMul"]
    assert (matmul.cpu_exec_micros, matmul.accelerator_exec_micros, matmul.exec_micros) == (5, 21, 26)
    assert profiled((0, SECOND)).advise()["AcceleratorUtilizationChecker"] == []
    idle = run_metadata(gpu=[event(b"net/MatMul", 0, 500)], stream=[event(b"net/MatMul", 6, 2)])
    (report,) = advise(model(), idle, {"AcceleratorUtilizationChecker": {}})["AcceleratorUtilizationChecker"]
    assert "/device:gpu:0/stream:all" in report


def names(root: ProfileNode) -> list[str]:
    return [name for row in root.children for name in (row.name, *names(row))]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, ["net", "net/MatMul", "net/Relu", "net/w", "x"]),
        ({"start_name_regexes": ["net/.*"]}, ["net/MatMul", "net/Relu", "net/w"]),
        ({"hide_name_regexes": ["net"]}, ["net/MatMul", "net/Relu", "net/w", "x"]),
        ({"trim_name_regexes": ["net"]}, ["net", "x"]),
        ({"show_name_regexes": [".*Relu", "x"]}, ["net/Relu", "x"]),
        ({"max_depth": 2}, ["net", "x"]),
        ({"min_micros": 5}, ["net", "net/MatMul"]),
        ({"min_params": 1}, ["net/w"]),
        ({"account_type_regexes": ["Relu|MatMul"], "order_by": "micros"}, ["net", "net/MatMul", "net/Relu"]),
        ({"order_by": "params", "max_depth": 3}, ["net", "net/w", "net/MatMul", "net/Relu", "x"]),
        ({"min_occurrence": 1}, ["net/MatMul", "net/Relu"]),
    ],
)
def test_options_by_plain_keys(options: dict[str, object], found: list[str]) -> None:
    assert names(profiled((1, FIRST)).profile_name_scope({**QUIET, **options})) == found


def test_methods_set_the_same_keys() -> None:
    built = (
        ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
        .with_max_depth(3)
        .with_min_memory(min_bytes=1, min_peak_bytes=2, min_residual_bytes=3, min_output_bytes=4)
        .with_min_execution_time(min_micros=5, min_accelerator_micros=6, min_cpu_micros=7)
        .with_min_parameters(8)
        .with_min_occurrence(9)
        .with_min_float_operations(10)
        .with_accounted_types(["Relu"])
        .with_node_names(["a"], ["b"], ["c"], ["d"])
        .account_displayed_op_only(False)
        .with_step(2)
        .order_by("bytes")
        .select(["bytes"])
        .with_timeline_output("t.json")
        .build()
    )
    assert [built[f"min_{key}"] for key in ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros")] == [1, 2, 3, 4, 5]
    assert [built[f"min_{key}"] for key in ("accelerator_micros", "cpu_micros", "params", "occurrence", "float_ops")] == [
        6,
        7,
        8,
        9,
        10,
    ]
    assert [built[f"{key}_name_regexes"] for key in ("start", "show", "hide", "trim")] == [["a"], ["b"], ["c"], ["d"]]
    assert (built["max_depth"], built["account_displayed_op_only"], built["step"]) == (3, False, 2)
    assert (built["order_by"], built["select"], built["output"]) == ("bytes", ["bytes"], "timeline:outfile=t.json")
    assert ProfileOptionBuilder.time_and_memory()["max_depth"] == 10_000  # presets are not shared


def test_views_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiler = profiled((1, FIRST))
    profiler.profile_operations(
        ProfileOptionBuilder().select(["micros", "occurrence", "device", "op_types"]).with_stdout_output().build()
    )
    assert "MatMul" in capsys.readouterr().out
    out = tmp_path / "view.txt"
    profiler.profile_graph(ProfileOptionBuilder().select(["params", "occurrence", "device"]).with_file_output(str(out)).build())
    assert "net/w (4x8, 32/32 params" in out.read_text()
    trace = tmp_path / "trace.json"
    profiler.profile_graph(ProfileOptionBuilder().with_timeline_output(str(trace)).build())
    events = json.loads(trace.read_text())["traceEvents"]
    assert {one["name"]: one["dur"] for one in events if one["ph"] == "X"} == {"net/MatMul": 10, "net/Relu": 1}


def test_a_saved_profile_is_the_same(tmp_path: Path) -> None:
    profiler = profiled((1, FIRST), (4, SECOND))
    profiler.save(tmp_path / "x.tfprof.pb")
    again = Profiler.load(tmp_path / "x.tfprof.pb")
    assert again.steps == [1, 4]
    for view in ("profile_operations", "profile_name_scope", "profile_graph"):
        for options in (QUIET, {**QUIET, "step": 1}, {**QUIET, "order_by": "micros", "account_displayed_op_only": True}):
            before, after = (getattr(one, view)(options) for one in (profiler, again))
            assert names(before) == names(after)
            assert before.total_exec_micros == after.total_exec_micros
            assert before.total_parameters == after.total_parameters == 32
    (opened,) = open_profile(str(tmp_path / "x.tfprof.pb"))  # and a profile like any other
    assert len(opened.spans) > 0


def test_what_cannot_be_done_is_one_sentence(tmp_path: Path) -> None:
    profiler = profiled((1, FIRST))
    for code, work in {
        "no_step": lambda: profiler.profile_graph({**QUIET, "step": 3}),
        "no_code": lambda: profiler.profile_python(QUIET),
        "bad_option": lambda: profiler.profile_graph({"depth": 3}),
        "bad_order": lambda: profiler.profile_graph({**QUIET, "order_by": "colour"}),
        "bad_pattern": lambda: profiler.profile_graph({**QUIET, "hide_name_regexes": ["("]}),
        "bad_output": lambda: profiler.profile_graph({**QUIET, "output": "pprof:outfile=x"}),
        "bad_checker": lambda: profiler.advise({"Luck": {}}),
        "no_events": lambda: profiler.add_step(2, b""),
        "bad_step": lambda: profiler.add_step(-1, FIRST),
        "no_file": lambda: Profiler(tmp_path / "nothing.pb"),
        "bad_input": lambda: serialised(3),
        "bad_view": lambda: profile(model(), cmd="colour"),
    }.items():
        with pytest.raises(BadInput) as caught:
            work()
        assert caught.value.code == code
    with pytest.raises(AttributeError):
        _ = profiler.profile_graph(QUIET).colour
    (tmp_path / "cut.pb").write_bytes(profiler.serialize_to_string()[:-3])
    with pytest.raises(BadInput):
        Profiler.load(tmp_path / "cut.pb")


def test_one_view_without_a_profiler() -> None:
    assert profile(model(), FIRST, options=QUIET).total_exec_micros == 11
    assert profile(model(), cmd="op", options=QUIET).total_parameters == 32
    assert nodes_of(model())["net/MatMul"].inputs == ("x", "net/w")


def test_a_chain_is_as_deep_as_it_likes() -> None:
    count = 20_000
    lines = ["n0: Const", *(f"n{place}: Relu n{place - 1}" for place in range(1, count))]
    root = Profiler(graph_def(lines)).profile_graph({**QUIET, "max_depth": 100_000})
    assert root.total_definition_count == count
