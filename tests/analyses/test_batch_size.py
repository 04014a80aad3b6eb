"""The size of a batch: by recorded shapes, by a compiled step's inputs and by what was logged, each only where it is certain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from analyses.timeline import MS, Timeline
from figures import figures
from hlo_bytes import F32, S32, computation, instruction, parameter, program, shape, tuple_shape
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope._native import read_hlo
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.batch_hyperparameters import Reading, batch_readings, steps_accumulate
from stepscope.analyses.input.batch_parameters import batch_by_parameters
from stepscope.analyses.input.batch_shapes import ToldByShapes, batch_by_shapes
from stepscope.analyses.throughput.batch_size import NOT_TOLD, OF_PARAMETERS, BatchSource, with_readings
from stepscope.analyses.throughput.throughput import Throughput, throughput
from stepscope.formats.open_profile import read_file
from stepscope.formats.programs import read_programs
from stepscope.formats.span_attributes import span_attributes
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Operation, Profile, Program, SpanKind

LINEAR = ("aten::linear", [[32, 64], [10, 64], [10]])
LOSS = ("aten::cross_entropy_loss", [[32, 10], [32], [], []])
CONVOLUTION = ("aten::conv2d", [[32, 3, 8, 8], [16, 3, 3, 3], [16]])
EMBEDDING = ("aten::embedding", [[1000, 64], [8, 128], []])
ATTENTION = ("aten::scaled_dot_product_attention", [[8, 4, 128, 16], [8, 4, 128, 16], [8, 4, 128, 16]])
TOKEN_LOSS = ("aten::cross_entropy_loss", [[1024, 1000], [1024], [], []])
Step = Sequence[tuple[str, Any]]


def recording(tmp_path: Path, *steps: Step) -> Profile:
    """Steps of a millisecond with these operations and shapes."""
    events: list[dict[str, Any]] = []
    for number, operations in enumerate(steps):
        place = {"ph": "X", "pid": 1, "tid": 1}
        events.append({**place, "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": 1000 * number, "dur": 1000})
        for at, (name, shapes) in enumerate(operations):
            kind = {"cat": "cpu_op", "args": {"Input Dims": shapes}} if shapes else {"cat": "user_annotation"}
            events.append({**place, **kind, "name": name, "ts": 1000 * number + 20 * at, "dur": 15})
    path = tmp_path / "run.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return read_file(str(path))


def told(tmp_path: Path, *steps: Step, fetches: int = 0) -> ToldByShapes | None:
    profile = recording(tmp_path, *steps)
    return batch_by_shapes(profile, break_down(profile), fetches)


def size_of(found: ToldByShapes | None) -> int | None:
    return None if found is None else found.size


def test_a_layer_and_the_loss_agree(tmp_path: Path) -> None:
    assert size_of(told(tmp_path, *[[LINEAR, LOSS]] * 5)) == 32


def test_a_layer_alone_may_take_tokens(tmp_path: Path) -> None:
    assert told(tmp_path, *[[LINEAR]] * 5) is None
    assert told(tmp_path, *[[EMBEDDING, TOKEN_LOSS]] * 5) is None, "8 sequences, or 128 if they come first"


def test_a_convolution_has_examples_first(tmp_path: Path) -> None:
    assert told(tmp_path, *[[CONVOLUTION]] * 5) == ToldByShapes(32, "the first layer's input")
    assert told(tmp_path, *[[("aten::conv2d", [[3, 8, 8], [16, 3, 3, 3]])]] * 5) is None, "a single picture"


def test_an_attention_tells_sequences_from_tokens(tmp_path: Path) -> None:
    found = told(tmp_path, *[[EMBEDDING, ATTENTION, TOKEN_LOSS]] * 5)
    assert size_of(found) == 8


def test_accumulated_batches_are_counted_where_fetches_or_losses_tell(tmp_path: Path) -> None:
    four = [LINEAR, LOSS] * 4
    assert size_of(told(tmp_path, *[four] * 5)) == size_of(told(tmp_path, *[four] * 5, fetches=20)) == 128
    assert told(tmp_path, *[four] * 5, fetches=13) is None, "as many fetches as nothing else tells"


def test_layers_that_look_alike_are_one_batch_only_if_something_says_so(tmp_path: Path) -> None:
    alike = [LINEAR, LINEAR, LOSS]
    assert told(tmp_path, *[alike] * 5) is None
    assert size_of(told(tmp_path, *[alike] * 5, fetches=5)) == 32


def test_a_smaller_last_batch_and_a_mixture(tmp_path: Path) -> None:
    small = [("aten::linear", [[7, 64], [10, 64], [10]]), ("aten::cross_entropy_loss", [[7, 10], [7]])]
    assert size_of(told(tmp_path, *[[LINEAR, LOSS]] * 9, small)) == 32
    assert told(tmp_path, *([[LINEAR, LOSS], small] * 4)) is None


@pytest.mark.parametrize("shapes", [[3], "x", [[-4, 2], [1, 2]], [[True, 2]], [[[1, 2], [3]]], [[]]])
def test_shapes_that_are_none(tmp_path: Path, shapes: Any) -> None:
    assert told(tmp_path, *[[("aten::linear", shapes), LOSS]] * 4) is None


def sizes(logged: dict[str, str], ranks: int = 1, accumulates: bool | None = None) -> list[int]:
    return [reading.size for reading in batch_readings(logged, ranks, accumulates)]


def test_what_is_logged_by_its_name() -> None:
    assert batch_readings({"batch_size": "32", "lr": "0.1"}, 1, None) == [Reading(32, "the logged batch_size 32")]
    assert sizes({"data/batch_size": "32", "eval/batch_size": "64", "val_batch_size": "128"}) == [32]
    assert sizes({"global_batch_size": "64"}, ranks=4) == [16]
    assert sizes({"per_device_train_batch_size": "8", "train_batch_size": "32"}, ranks=4) == [8]
    assert sizes({"global_batch_size": "63"}, ranks=4) == []
    assert sizes({"batch_size": "0"}) == sizes({"batch_size": "many"}) == sizes({"batch_size": "1.5"}) == sizes({}) == []
    assert sizes({"batch_size": "nan"}) == sizes({"batch_size": "inf"}) == []


def test_a_batch_size_of_several_ranks_may_be_of_one_or_of_all() -> None:
    one, all_of_them = batch_readings({"batch_size": "64"}, 4, None)
    assert (one.size, figures(one.words)) == (64, [64])
    assert (all_of_them.size, figures(all_of_them.words)) == (16, [64, 4])


def test_accumulation_is_in_the_step_if_every_step_has_an_optimizer_s() -> None:
    logged = {"per_device_train_batch_size": "8", "gradient_accumulation_steps": "4"}
    assert sizes(logged) == [8, 32], "nobody knows"
    (found,) = batch_readings(logged, 2, True)
    assert (found.size, figures(found.words)) == (32, [8, 4])
    assert sizes(logged, 2, False) == [8]
    assert sizes({"global_batch_size": "64", "accumulate_grad_batches": "4"}, 2, True) == [32]
    assert sizes({"global_batch_size": "64", "accumulate_grad_batches": "4"}, 2, False) == [8]
    assert sizes({"batch_size": "8", "gradient_accumulation_steps": "1"}) == [8]


def test_whether_steps_hold_an_optimizer_s(tmp_path: Path) -> None:
    optimizer: Step = [("Optimizer.step#SGD.step", None)]
    cases: list[tuple[list[Step], bool | None]] = [
        ([[LINEAR, *optimizer]] * 4, True),
        ([[LINEAR], [LINEAR, *optimizer]] * 3, False),
        ([[LINEAR]] * 3, None),
    ]
    for steps, known in cases:
        profile = recording(tmp_path, *steps)
        assert steps_accumulate(profile, break_down(profile)) is known


def test_another_source_decides_how_what_is_logged_is_read() -> None:
    readings = [Reading(64, "64 of one rank"), Reading(16, "64 over 4 ranks")]
    shapes = BatchSource(16, "shapes")
    assert with_readings([shapes], readings) == ([shapes, BatchSource(16, "64 over 4 ranks")], "")
    found, why = with_readings([], readings)
    assert found == []
    assert figures(why) == [64, 64, 16, 64, 4]
    found, why = with_readings([BatchSource(7, "shapes")], readings)
    assert figures(why)[:3] == [7, 64, 64]
    assert with_readings([], []) == ([], NOT_TOLD)
    assert with_readings([], readings[:1]) == ([BatchSource(64, "64 of one rank")], "")


def rates(profile: Profile, logged: dict[str, str]) -> Throughput:
    return throughput([profile], [break_down(profile)], span_attributes, logged=logged)


def test_throughput_by_shapes_and_what_is_logged(tmp_path: Path) -> None:
    profile = recording(tmp_path, *[[LINEAR, LOSS]] * 5)
    found = rates(profile, {"batch_size": "32"})
    assert (found.batch, found.examples_per_second, found.unknown) == (32, pytest.approx(32_000), "")
    assert [(source.size, "batch_size" in source.origin) for source in found.batch_sources] == [(32, False), (32, True)]
    different = rates(profile, {"batch_size": "48"})
    assert (different.batch, different.examples_per_second) == (None, None)
    assert figures(different.unknown) == [32, 48, 48]


def step_program(*batch: bytes, state: int = 2) -> HloProgram:
    """Weights and momentum go in and come out; so does a loss."""
    weights = [shape(F32, 64, 10), shape(F32, 10)][:state]
    inputs = [*weights, *batch]
    result = tuple_shape(*weights, shape(F32))
    rows = [parameter(place + 1, place, of) for place, of in enumerate(inputs)]
    root = instruction(90, "tuple", result, operands=range(1, state + 1))
    data = program(computation(1, 90, *rows, root), entry=1, name="jit_step")
    return HloProgram(**read_hlo(data))


def compiled(name: str = "jit_step", runs: int = 1) -> Profile:
    """Four steps that each run an operation of the program so many times."""
    builder = Timeline()
    builder.ops.append(Operation("dot.1", "dot", "", name, "", "", float("nan"), float("nan"), None))
    for step in range(4):
        builder.span("main", step * 10 * MS, (step + 1) * 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for run in range(runs):
            at = (10 * step + 2 * run) * MS
            builder.span("main", at, at + MS, SpanKind.OP, "dot.1", op=0)
    return builder.build()


def by_parameters(profile: Profile, one: HloProgram) -> int | None:
    return batch_by_parameters(profile, break_down(profile), [one])


def test_inputs_that_do_not_come_back_are_the_batch() -> None:
    assert by_parameters(compiled(), step_program(shape(F32, 48, 64), shape(S32, 48))) == 48
    assert by_parameters(compiled(), step_program(shape(F32, 48, 64), shape(S32, 48), shape(F32))) == 48, "and a learning rate"


def test_inputs_that_could_be_something_else() -> None:
    values, labels = shape(F32, 48, 64), shape(S32, 48)
    assert by_parameters(compiled(), step_program(values)) is None, "one alone could be anything"
    assert by_parameters(compiled(), step_program(values, labels, shape(F32, 128, 128))) is None, "a mask"
    assert by_parameters(compiled(), step_program(values, labels, state=0)) is None, "it trains nothing"
    assert by_parameters(compiled(runs=2), step_program(values, labels)) is None, "twice a step"
    assert by_parameters(compiled("another"), step_program(values, labels)) is None


def test_throughput_by_a_compiled_step() -> None:
    one = step_program(shape(F32, 48, 64), shape(S32, 48))
    profile = compiled()
    profile.programs.append(Program("jit_step", 1, 0, 0))
    found = throughput([profile], [break_down(profile)], programs=lambda _: [one])
    assert (found.batch, found.batch_source, found.examples_per_second) == (48, OF_PARAMETERS, pytest.approx(4800))


@needs_samples
@pytest.mark.parametrize(
    ("sample", "size"), [("kineto/resnet50_workers0", 32), ("kineto/torch213_ddp_gloo", 64), ("xplane/jax_cpu", 128)]
)
def test_samples_of_known_batches(sample: str, size: int) -> None:
    profiles = open_profile(str(SAMPLES / sample))
    breakdowns = [break_down(profile) for profile in profiles]
    found = throughput(profiles, breakdowns, span_attributes, programs=lambda place: read_programs(profiles[place])[0])
    assert (found.batch, len(found.batch_sources)) == (size, 1)
