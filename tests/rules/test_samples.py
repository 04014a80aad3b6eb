"""Real recordings: what fires on each, in order, and what must not.

The samples are not part of the repository; they are looked for beside it, and the tests skip when they are absent.
"""

from __future__ import annotations

from functools import cache

import pytest

from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.texts import milliseconds
from stepscope.formats.programs import read_programs
from stepscope.formats.span_attributes import span_attributes
from stepscope.rules.judge import Judgement, judge
from stepscope.rules.rule import Finding, Verdict

pytestmark = needs_samples


@cache
def judged(name: str, cores: int | None = None) -> Judgement:
    profiles = open_profile(str(SAMPLES / name))
    return judge(summarise(profiles), span_attributes, cores, programs=lambda place: read_programs(profiles[place])[0])


def of(name: str, rule: str, cores: int | None = None) -> Finding:
    return next(each for each in judged(name, cores).findings if each.rule == rule)


@pytest.mark.parametrize(
    ("name", "fires"),
    [
        # Loads in the training process; in single precision on a V100.
        ("kineto/resnet50_workers0", ["input_bound", "matrix_units_unused"]),
        # The same with four workers: the host is the limit, so faster kernels would gain nothing, and most kernels are queued.
        ("kineto/resnet50_workers4", []),
        # Rank 1 sleeps 15 ms of each step.
        ("kineto/torch213_ddp_gloo", ["straggler", "communication_exposed", "python_between_ops"]),
        # Made with 3 ms of input in every 10 ms.
        ("xplane/synthetic_cuda", ["input_bound"]),
        # Compiles in its first step only.
        ("xplane/jax_cpu", []),
        # Two of eleven steps were held up on a machine of two cores: a note.
        ("xplane/tf_keras_fit", []),
        # The first step waited 12 ms for the generator, which is warm-up.
        ("xplane/tf_manual_steps", ["input_bound"]),
        # Serving with one token a step: every kernel finds an empty queue.
        ("kineto/tracelens/b200/eager_trace.json.gz", ["host_bound", "python_between_ops"]),
        # Python stands in block_until_ready, which is no Python to remove; the devices are idle for 97 % of a step all the same.
        ("xplane/mi300_jax_conv", ["device_idle"]),
        # One rank of eight: 64 % is communication, and from one rank nobody can tell why.
        ("kineto/tracelens/mi300/resnet_act_checkpoint.json.gz", []),
        # Norms in single precision between layers in half: 61 casts there and 61 back.
        ("kineto/tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", ["layout_round_trips"]),
        # MIOpen transposes before and after each convolution.
        ("kineto/tracelens/mi210/gpu_only_trace/gpu_only_trace.json.gz", ["layout_round_trips"]),
        # Products at 42 % of an MI300X's peak, as large ones are: nothing to say.
        ("kineto/tracelens/torch_compile_triton/trace.json.gz", []),
    ],
)
def test_what_fires(name: str, fires: list[str]) -> None:
    assert [each.rule for each in judged(name).of(Verdict.FIRES)] == fires


def test_the_range_of_loading_beside_the_step_covers_what_was_measured() -> None:
    # With four workers the same training took 126.7 ms, and 122.9 in a second recording.
    found = of("kineto/resnet50_workers0", "input_bound", 40)
    assert found.step_ms == (pytest.approx(118.3, abs=0.5), pytest.approx(136.5, abs=0.5))
    assert of("kineto/resnet50_workers0", "input_bound").step_ms == (pytest.approx(118.3, abs=0.5),) * 2, "at best, without cores"
    assert any("num_workers=0" in line.text for line in found.evidence)


def test_a_loader_that_keeps_up_is_quiet() -> None:
    assert of("kineto/resnet50_workers4", "input_bound").verdict is Verdict.QUIET


def test_the_rank_that_sleeps_is_named_with_what_it_does() -> None:
    found = of("kineto/torch213_ddp_gloo", "straggler")
    assert "rank 1" in found.summary
    assert "sleep" in found.summary
    assert any("sleep" in line.text for line in found.evidence)


def test_compilation_in_the_first_step_is_no_recompilation() -> None:
    assert of("xplane/jax_cpu", "recompile").verdict is Verdict.QUIET


def test_communication_of_one_rank_alone_is_not_explained() -> None:
    name = "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz"
    assert (of(name, "communication_exposed").verdict, of(name, "straggler").verdict) == (Verdict.CANNOT_TELL, Verdict.CANNOT_TELL)


@pytest.mark.parametrize(
    ("name", "rule", "verdict", "says"),
    [
        # Four workers feed a queue of 1,478 kernels a step, with a microsecond between them.
        ("kineto/resnet50_workers4", "many_small_kernels", Verdict.NOTE, ("1.3%", "1.61 ms")),
        # Its name says that it recomputes activations; how much memory is free it does not say.
        (
            "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz",
            "recomputation",
            Verdict.CANNOT_TELL,
            ("7.3%",),
        ),
        (
            "kineto/torch213_cpu/workers2_stack",
            "unfused_optimizer",
            Verdict.QUIET,
            ("220 operations", "1.4%"),
        ),
        (
            "kineto/tracelens/torch_compile_triton/trace.json.gz",
            "slow_operator",
            Verdict.QUIET,
            ("aten::mm", "62%", " 42"),
        ),
        ("xplane/tf_manual_steps", "stage_not_parallel", Verdict.QUIET, ()),
        ("xplane/tf_keras_fit", "shuffle_filling", Verdict.QUIET, ("shuffle buffer",)),
        ("kineto/torch213_ddp_gloo", "host_collectives", Verdict.QUIET, ("CPU",)),
        ("xplane/gfx950_jax_attention", "duplicate_work", Verdict.QUIET, ("duplicate",)),
        ("kineto/resnet50_workers0", "duplicate_work", Verdict.QUIET, ("No compiled program",)),
        ("kineto/resnet50_workers0", "near_memory_limit", Verdict.CANNOT_TELL, ("memory use",)),
    ],
)
def test_what_single_rules_say(name: str, rule: str, verdict: Verdict, says: tuple[str, ...]) -> None:
    found = of(name, rule)
    assert (found.verdict, [each for each in says if each not in found.summary]) == (verdict, [])


def test_transfer_is_what_the_breakdown_says() -> None:
    splits = [each for each in summarise(open_profile(str(SAMPLES / "kineto/torch213_ddp_gloo"))).collected.splits if each is not None]
    mean = sum(each.transfer_ns for each in splits) / len(splits)
    assert f"({milliseconds(mean)})" in of("kineto/torch213_ddp_gloo", "communication_exposed").summary
