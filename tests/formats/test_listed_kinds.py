"""A user's own kinds of spans (`kind_rules`): how they are written, mistakes, what they make of a profile, and reading them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyses.timeline import MS, Timeline
from stepscope._native import first_fitting
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.phases import Phase
from stepscope.analyses.input.pipeline import input_pipeline
from stepscope.analyses.time_classes import TimeClass
from stepscope.formats.kind_table import built_in_rows
from stepscope.formats.listed_kinds import with_rules
from stepscope.formats.span_kinds import KINDS_OF_THREADS, PHASES, WORDS, SpanRule
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile, SpanKind
from stepscope.store.user_files import COLLECTIVES_VARIABLE, SPAN_KINDS_VARIABLE, span_kind_file


def profile() -> Profile:
    builder = Timeline().draw(
        "main   1111111\nmain   oo\ngpu 0  KKLLCC", K="my_ring_exchange<4>", L="gemm", C="ncclKernel", o="ring_op"
    )
    next(span for span in builder.spans if span.kind == SpanKind.COLLECTIVE).collective = ("world", 8, 3)
    return builder.build()


def kinds(found: Profile) -> dict[str, str]:
    return {found.names[name]: SpanKind(kind).name for name, kind in zip(found.spans.name, found.spans.kind, strict=True)}


def collectives(found: Profile) -> list[tuple[str, str, int]]:
    table, names = found.collectives, found.names
    return [
        (names[found.spans.name[row]], names[name], int(size))
        for row, name, size in zip(table.row, table.name, table.group_size, strict=True)
    ]


def test_a_name_of_the_user_communicates() -> None:
    found = with_rules(profile(), [SpanRule("allgather", "MY_ring*")])
    assert kinds(found)["my_ring_exchange<4>"] == "COLLECTIVE"
    assert collectives(found) == [("my_ring_exchange<4>", "allgather", -1), ("ncclKernel", "ncclKernel", 8)]
    assert kinds(found)["gemm"] == "KERNEL"


def test_an_operation_of_a_thread_may_communicate_too() -> None:
    assert kinds(with_rules(profile(), [SpanRule("send", "ring_op")]))["ring_op"] == "COLLECTIVE"


def test_what_the_formats_know_can_be_taken_back_or_renamed() -> None:
    gone = with_rules(profile(), [SpanRule("none", "nccl*")])
    assert (kinds(gone)["ncclKernel"], collectives(gone)) == ("KERNEL", [])
    assert collectives(with_rules(profile(), [SpanRule("alltoall", "nccl*")])) == [("ncclKernel", "alltoall", 8)]


def test_the_first_rule_that_fits_decides() -> None:
    rules = [SpanRule("none", "*exchange*"), SpanRule("allreduce", "my_*")]
    assert kinds(with_rules(profile(), rules))["my_ring_exchange<4>"] == "KERNEL"


def test_steps_stay_steps_whatever_a_rule_says() -> None:
    assert kinds(with_rules(profile(), [SpanRule("allreduce", "*")]))["ProfilerStep#1"] == "MARKER"


def own_loop() -> Profile:
    builder = Timeline()
    for step in range(4):
        at = step * 10 * MS
        builder.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 4 * MS, SpanKind.ANNOTATION, "load_batch")
        builder.span("main", at + 1 * MS, at + 3 * MS, SpanKind.ANNOTATION, "tokenize")
        builder.span("main", at + 4 * MS, at + 9 * MS, SpanKind.OP, "aten::mm")
        builder.span("main", at + 9 * MS, at + 10 * MS, SpanKind.ANNOTATION, "save_weights")
        builder.span("loader", at, at + 9 * MS, SpanKind.ANNOTATION, "load_batch")
    return builder.build()


def test_a_listed_fetch_is_what_the_step_waits_for() -> None:
    before, after = own_loop(), with_rules(own_loop(), [SpanRule("input", "load_batch")])
    assert break_down(before).typical_parts[TimeClass.INPUT] == 0
    parts = break_down(after).typical_parts
    assert (parts[TimeClass.INPUT], parts[TimeClass.COMPUTE]) == (4 * MS, 5 * MS)


def test_what_is_loaded_ahead_on_a_thread_for_it_is_nothing_the_step_waits_for() -> None:
    found = with_rules(own_loop(), [SpanRule("input", "load_batch")])
    waits = found.spans.track[found.spans.kind == SpanKind.INPUT]
    assert {found.tracks[track].name for track in waits} == {"main"}


def test_a_part_of_preparing_a_batch_is_told_apart() -> None:
    found = with_rules(own_loop(), [SpanRule("read", "load_batch"), SpanRule("transform", "tok*")])
    phases = {each.phase: each.exposed_ns for each in input_pipeline(found, break_down(found)).phases}
    assert phases == {Phase.READ: 2 * MS, Phase.TRANSFORM: 2 * MS}, "what the loader's thread reads meanwhile is no more waiting"


@pytest.mark.parametrize("word", KINDS_OF_THREADS)
def test_every_kind_of_a_thread(word: str) -> None:
    assert kinds(with_rules(own_loop(), [SpanRule(word, "save_*")]))["save_weights"] == word.upper()


def test_a_listed_checkpoint_is_io() -> None:
    assert break_down(with_rules(own_loop(), [SpanRule("io", "save_*")])).typical_parts[TimeClass.IO] == MS


def test_communication_is_named_by_its_own_name() -> None:
    builder = Timeline().draw("main   11111\nmain   oo n", o="my_all_reduce_ring", n="exchange")
    found = with_rules(builder.build(), [SpanRule("collective", "my_*"), SpanRule("collective", "exchange")])
    assert collectives(found) == [("my_all_reduce_ring", "allreduce", -1), ("exchange", "exchange", -1)]


def test_what_was_communication_and_is_listed_as_something_else_leaves_the_table() -> None:
    found = with_rules(profile(), [SpanRule("input", "*")])
    assert kinds(found)["ncclKernel"] == "COLLECTIVE", "what lies on a stream is no input"
    assert kinds(found)["ring_op"] == "INPUT"
    host = Timeline().draw("main   111\nmain   CC", C="gloo:wait").build()
    changed = with_rules(host, [SpanRule("sync", "gloo:*")])
    assert (kinds(changed)["gloo:wait"], collectives(changed)) == ("SYNC", [])


def test_parts_of_preparing_a_batch_are_those_of_the_analysis() -> None:
    assert set(PHASES) <= {phase.value for phase in Phase}
    assert len(set(WORDS)) == len(WORDS)


def test_patterns_fit_whole_names_in_either_case_and_never_go_back_without_end() -> None:
    assert first_fitting(["Load_Batch", "load", "reload_batch", ""], ["load_batch", "*load*"]).tolist() == [0, 1, 1, -1]
    assert first_fitting(["a*b", "aXb", "ab", "b"], ["a*b"]).tolist() == [0, 0, 0, -1]
    assert first_fitting(["a", "aa"], ["a*a"]).tolist() == [-1, 0]
    assert first_fitting(["\ud800", "x"], ["*"]).tolist() == [-1, 0]
    # Whoever tries every way to split the name would take longer than the universe is old.
    assert first_fitting(["a" * 20_000], ["a*" * 400 + "b"]).tolist() == [-1]


def test_the_table_lists_what_each_format_knows() -> None:
    rows = {(row.origin, row.pattern): row.kind for row in built_in_rows()}
    assert rows["TensorFlow or JAX profile", "Iterator::Root"] == "input"
    assert rows["TensorFlow or JAX profile", "$dataloader.py:* __next__"] == "input"
    assert rows["PyTorch or Chrome trace", "enumerate(DataLoader)#*"] == "input"
    assert rows["PyTorch or Chrome trace", "*ncclDevKernel*"] == "collective"
    assert rows["TensorFlow 1 run metadata", "SaveV2*"] == "io"
    assert rows["Perfetto trace", "user_annotation"] == "annotation"


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "kinds.toml"
    path.write_text(text)
    return str(path)


def test_a_file_by_kinds(tmp_path: Path) -> None:
    path = written(tmp_path, '# ours\ninput = ["load_batch", "fetch_*"]\nallreduce = ["my_ring*"]\n')
    rules = (SpanRule("input", "load_batch"), SpanRule("input", "fetch_*"), SpanRule("allreduce", "my_ring*"))
    assert OwnKinds(path).rules() == rules
    table = OwnKinds(kinds=path).table()
    assert next((row.pattern, row.kind, row.origin) for row in table.rows if row.yours) == ("load_batch", "input", path)
    assert (table.file, table.problem, table.rows[-1].yours) == (path, "", False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('inputs = ["a"]', 'has the kind "inputs": write one of input, io'),
        ('input = "a"', r'must give input a list of names: input = \["load_batch"'),
        ("input = [3]", "must give input a list of names"),
        ("[input]\na = 3", "must give input a list of names"),
        ("input = [", "is not valid TOML"),
        ('input = [""]', "a name under input that is empty"),
        (f'input = ["{"x" * 1001}"]', "longer than 1000 characters"),
        (f"input = {['x'] * 1001}", "more than 1000 patterns"),
        ("# " + "x" * (1 << 20), "larger than 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInput, match=says) as raised:
        OwnKinds(path).rules()
    assert raised.value.message.count("\n") == 0
    assert OwnKinds(kinds=path).table().problem == raised.value.message


def test_only_the_file_in_the_data_folder_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path))
    assert span_kind_file() == str(tmp_path / "span_kinds.toml")
    assert OwnKinds().rules() == ()
    (tmp_path / "span_kinds.toml").write_text('io = ["save"]')
    assert OwnKinds().rules() == (SpanRule("io", "save"),)
    monkeypatch.setenv(SPAN_KINDS_VARIABLE, str(tmp_path / "other.toml"))
    with pytest.raises(NotThere, match=r"other\.toml does not exist"):
        OwnKinds().rules()
    with pytest.raises(NotThere, match=r"third\.toml does not exist"):
        OwnKinds(kinds=str(tmp_path / "third.toml")).rules()


def test_a_changed_list_has_another_stamp_and_other_rules(tmp_path: Path) -> None:
    path = written(tmp_path, 'io = ["a"]')
    own = OwnKinds(kinds=path)
    before = (own.stamp(), own.rules())
    assert (own.stamp(), own.rules()) == before
    written(tmp_path, 'io = ["ab"]')
    assert own.stamp() != before[0]
    assert own.rules() == (SpanRule("io", "ab"),)


def test_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# ours\nallreduce  my_ring*   # the fast one\n\nnone nccl probe\n")
    assert OwnKinds(collectives=str(path)).rules() == (SpanRule("allreduce", "my_ring*"), SpanRule("none", "nccl probe"))


@pytest.mark.parametrize("line", ["allreduce", "sum *ring*", "*ring*"])
def test_a_line_that_is_no_rule_is_said(tmp_path: Path, line: str) -> None:
    path = tmp_path / "names.txt"
    path.write_text(f"allreduce good*\n{line}\n")
    with pytest.raises(BadInput, match=r"Line 2 of .*names\.txt"):
        OwnKinds(collectives=str(path)).rules()


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(NotThere, match="does not exist"):
        OwnKinds(collectives="/no/such/names.txt").rules()


def test_the_environment_names_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, trace = tmp_path / "names.txt", tmp_path / "run.pt.trace.json"
    names.write_text("broadcast my_*\n")
    event = '{"ph": "X", "cat": "kernel", "name": "my_kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5, "args": {"stream": 7}}'
    trace.write_text(f'{{"schemaVersion": 1, "traceEvents": [{event}]}}')
    assert kinds(ProfileReading(cache=False).read(str(trace)))["my_kernel"] == "KERNEL"
    monkeypatch.setenv(COLLECTIVES_VARIABLE, str(names))
    assert collectives(ProfileReading(cache=False).read(str(trace))) == [("my_kernel", "broadcast", -1)]


def test_operations_that_hand_out_a_collective_may_be_listed_as_host_time() -> None:
    builder = Timeline().draw("main     1111111111\nmain     oooo......", o="c10d::allreduce_")
    builder.span("network", MS, 3 * MS, SpanKind.COLLECTIVE, "gloo:all_reduce")
    before, after = builder.build(), with_rules(builder.build(), [SpanRule("framework", "c10d::*")])
    counted = [TimeClass.COMPUTE, TimeClass.COMM, TimeClass.FRAMEWORK]
    assert break_down(before).typical_parts[counted].tolist() == [0, 4 * MS, 0]
    assert break_down(after).typical_parts[counted].tolist() == [0, 2 * MS, 2 * MS]
