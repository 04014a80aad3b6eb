"""What is advised fits what was found: words and code change with the cause, and none is given where none applies."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from rules.pictures import finding, repeated, said_nothing, shown, training
from stepscope.analyses.communication.tables import communication
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.headline import waited_for
from stepscope.rules.rule import NO_CODE, Finding, Verdict


def nested(*names: str) -> Profile:
    """Steps in which Python functions, one inside the other, run for 4 ms before the device has 5 ms of work."""
    line = Timeline()
    for step in range(6):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for name in names:
            line.span("main", at, at + 4 * MS, SpanKind.PYTHON, name)
        if names[0].startswith("nn.Module"):
            line.span("main", at + 3 * MS, at + 4 * MS, SpanKind.OP, "aten::add")
        line.span("gpu 0/7", at + 5 * MS, at + 10 * MS, SpanKind.KERNEL, "k")
    return line.build()


def python(*names: str) -> Finding:
    return finding("python_between_ops", nested(*names))


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (("train.py(8): step", "torch/nn/modules/module.py(1743): _call_impl"), "less Python"),
        (("nn.Module: Bert_0", "transformers/bert.py(181): forward"), "less Python"),
        (("torch/autograd/graph.py(1): backward", "<built-in method run_backward of torch._C>"), "less Python"),
        (("loop.py(8): load", "<built-in function sleep>"), "sleeps"),
        (("$loop.py:8 train", "$time sleep"), "sleeps"),
        (("$loop.py:8 load", "$decode.py:3 resize"), "Load data"),
        (("loop.py(8): next_batch",), "Load data"),
        (("train.py(8): penalty",), "Python work"),
        # Values that are printed are no operations that are called, wherever that happens.
        (("train.py(8): report", "torch/_tensor.py(590): __repr__", "torch/_tensor_str.py(699): _str"), "Print"),
        (("nn.Module: Bert_0", "torch/_tensor_str.py(699): _str", "<built-in method format of str object>"), "Print"),
        (("train.py(8): step", "torch/serialization.py(900): save"), "Python work"),
        # Restores a model: its name loads, but no data.
        (("train.py(8): load_state_dict",), "Python work"),
    ],
)
def test_python_is_advised_on_by_what_it_does(names: tuple[str, ...], word: str) -> None:
    assert word in python(*names).title


def on_a_cpu(*names: str) -> Finding:
    """Functions for 4 ms, and operations of the CPU for the rest of the step."""
    line = Timeline()
    for step in range(6):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for name in names:
            line.span("main", at, at + 5 * MS, SpanKind.PYTHON, name)
        line.span("main", at + 4 * MS, at + 5 * MS, SpanKind.OP, "aten::add")
        line.span("main", at + 5 * MS, at + 10 * MS, SpanKind.OP, "aten::mm")
    return finding("python_between_ops", line.build(), cores=2)


def test_python_inside_a_compiled_step_counts_also_beside_other_operations() -> None:
    line = Timeline()
    for step in range(6):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + 10 * MS, SpanKind.PYTHON, "train.py(8): fit")
        line.span("pool 1", at, at + 4 * MS, SpanKind.OP, "loss/PyFunc:PyFunc")
        line.span("pool 2", at + MS, at + 10 * MS, SpanKind.OP, "MatMul")
    found = finding("python_between_ops", line.build(), cores=2)
    assert found.verdict is Verdict.FIRES
    assert all(word in found.summary for word in ("40%", "4 ms", "compiled function"))
    assert found.step_ms is not None
    assert found.step_ms[0] < 9, "the operations beside it get their core back"


def test_calls_of_operations_are_no_overhead_without_a_device() -> None:
    calls = ("nn.Module: Bert_0", "torch/nn/modules/linear.py(130): forward")
    assert said_nothing(on_a_cpu(*calls))
    assert "torch.compile" in python(*calls).code.pytorch, "with a device it waits for them"
    assert on_a_cpu("train.py(8): penalty").verdict is Verdict.FIRES


def test_what_printing_computes_goes_with_it() -> None:
    found = on_a_cpu("train.py(8): report", "torch/_tensor_str.py(699): _str")
    assert found.verdict is Verdict.FIRES
    assert found.step_ms is not None
    assert found.step_ms[0] <= 5.0, "with the 1 ms of operations in it"
    assert "compile" not in found.code.pytorch


def test_python_around_operations_is_compiled_away() -> None:
    found = python("nn.Module: Bert_0", "transformers/bert.py(181): forward")
    assert "torch.compile" in found.code.pytorch
    assert "torch.where" not in found.code.pytorch


@pytest.mark.parametrize("names", [("loop.py(8): train", "<built-in function sleep>"), ("loop.py(8): fetch_batch",)])
def test_no_code_is_shown_for_sleeps_and_loaders(names: tuple[str, ...]) -> None:
    assert python(*names).code == NO_CODE


def test_who_sleeps_is_named() -> None:
    found = python("loop.py(8): load", "<built-in function sleep>")
    sleeps, caller, hint = found.evidence
    assert (sleeps.spans is not None and sleeps.spans.first_row, caller.spans is not None and caller.spans.first_row) == (2, 1)
    assert ("sleep" in sleeps.text, "loop.py(8): load" in caller.text) == (True, True)
    assert shown(found) == [(0, 0, 4), (0, 0, 4)]
    assert (hint.spans, "span_kinds.toml" in hint.text) == (None, True)


@pytest.mark.parametrize(
    "name",
    [
        "torch/autograd/profiler.py(789): __enter__",
        "<built-in method _record_function_enter_new of PyCapsule>",
        "$profiler.py:12 __exit__",
    ],
)
def test_the_profilers_own_cost_is_no_python_to_remove(name: str) -> None:
    assert python("train.py(8): penalty").verdict is Verdict.FIRES
    found = python(name)
    assert said_nothing(found)
    assert found == finding("python_between_ops", repeated("main: oool......; gpu 0: ....KKKKKK")), "as if no Python had run"


def test_layouts_of_convolutions_and_of_products_differ() -> None:
    there_and_back = "main: l.l.l......; gpu 0: .KKLLLLLLMM"
    convolutions = {"K": "nchwToNhwcKernel", "L": "conv", "M": "nhwcToNchwKernel"}
    images = finding("layout_round_trips", repeated(there_and_back, names=convolutions))
    transposes = {"K": "transpose_kernel", "L": "gemm", "M": "transpose_kernel"}
    products = finding("layout_round_trips", repeated(there_and_back, names=transposes))
    assert "channels_last" in images.code.pytorch
    assert "channels_last" not in products.code.pytorch
    assert "einsum" in products.code.pytorch


@pytest.mark.parametrize("around", ["aten::contiguous", "aten::clone"])
def test_copies_into_another_order_are_layout_conversions(around: str) -> None:
    line = Timeline()
    for step in range(6):
        at = step * 20 * MS
        line.span("main", at, at + 20 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for place in (0, 10):
            line.span("main", at + place * MS, at + (place + 1) * MS, SpanKind.OP, around)
            line.span("main", at + place * MS, at + (place + 1) * MS - 1, SpanKind.OP, "aten::copy_")
            line.span("main", at + (place + 1) * MS, at + (place + 10) * MS, SpanKind.OP, "aten::mm")
    found = finding("layout_round_trips", line.build(), bounds=True)
    if around == "aten::clone":  # a copy that somebody wants
        assert said_nothing(found)
        return
    assert (found.verdict, found.step_ms) == (Verdict.FIRES, (18, 18))
    assert found.evidence[0].text.startswith("2 conversions")


def test_no_rule_advises_a_class_that_does_not_exist() -> None:
    slow = repeated("main: iiiooooooo; loader 1: fff.......", names={"f": "Iterator::Root::Map", "i": "Iterator::Root"})
    found = finding("input_bound", slow, 1)
    assert "cheaper" in found.title
    assert not re.search(r"Prepared|pin_memory", found.code.pytorch + found.code.jax)


def sleeping_rank(name: str) -> list[Profile]:
    """Two ranks, of which the second runs a function of Python for 40 of 100 ms before each reduction."""
    found: list[Profile] = []
    for rank in (0, 1):
        line = Timeline(rank=rank, world_size=2, base_ns=1_000_000_000_000)
        for step in range(5):
            at = step * 100 * MS
            line.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            begins = at + (60 if rank else 20) * MS
            if rank:
                line.span("main", at + 20 * MS, begins, SpanKind.PYTHON, name)
            line.span("gpu 0/7", at, at + 20 * MS, SpanKind.KERNEL, "k")
            line.span("gpu 0/8", begins, at + 70 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, step))
            line.span("gpu 0/7", at + 70 * MS, at + 100 * MS, SpanKind.KERNEL, "k")
        found.append(line.build())
    return found


def test_a_rank_that_sleeps_is_said_to_wait() -> None:
    found = finding("straggler", sleeping_rank("<built-in function sleep>"))
    assert all(word in found.summary for word in ("rank 1", "40 ms", "sleep"))
    assert found.gain is not None
    assert (found.gain.low, found.gain.high, shown(found)) == (pytest.approx(0.4), pytest.approx(0.4), [(1, 20, 60)])
    assert found.code == NO_CODE


def test_a_rank_that_works_longer_in_python_is_not_told_to_share_data() -> None:
    found = finding("straggler", sleeping_rank("train.py(3): penalty"))
    assert ("Python" in found.summary, "sleep" in found.summary) == (True, False)
    assert shown(found) == [(1, 20, 60)]
    assert found.code == NO_CODE


def begins_late(before: int, longer: int, steps: int = 1) -> list[Profile]:
    """Three ranks; the steps of the last begin later by `before` ms, and it works `longer` ms more; all end together."""
    found: list[Profile] = []
    for rank in range(3):
        line = Timeline(rank=rank, world_size=3, base_ns=1_000_000_000_000)
        late = before if rank == 2 else 0
        works = 20 + (longer if rank == 2 else 3 * rank)
        for step in range(steps):
            at = step * 100 * MS
            begins = at + late * MS
            line.span("main", begins, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            line.span("gpu 0/7", begins, begins + works * MS, SpanKind.KERNEL, "k")
            end = at + (before + 20 + longer + 5) * MS
            line.span("gpu 0/8", begins + works * MS, end, SpanKind.COLLECTIVE, "allreduce", collective=("world", 3, step))
            line.span("gpu 0/7", end, at + 100 * MS, SpanKind.KERNEL, "k")
        found.append(line.build())
    return found


def test_a_rank_that_begins_late_is_not_said_to_work_longer() -> None:
    profiles = begins_late(before=30, longer=0)
    found = finding("straggler", profiles)
    assert said_nothing(found)
    # The others work 20 and 23 ms before they wait for the one that begins 30 ms later and works 20.
    assert all(word in found.summary for word in ("rank 2", "every step", "28.5 ms"))


def test_everything_names_the_same_rank() -> None:
    profiles = begins_late(before=30, longer=0)
    summary = summarise(profiles)
    found = communication(profiles, summary.breakdowns)
    assert (found.straggler, summary.collected.late, waited_for(summary)) == (2, 2, 2)
    assert summary.collected.late_ns == found.ranks[2].caused_ns
    assert "rank 2" in finding("straggler", profiles).summary


def test_a_rank_that_works_longer_is_still_told_so() -> None:
    found = finding("straggler", begins_late(before=0, longer=30, steps=5))
    assert found.verdict is Verdict.FIRES
    assert found.gain is not None
    # A third of the 28.5 ms stays on each of the three ranks when they share them.
    assert (found.gain.low, shown(found)) == (pytest.approx(0.19), [(2, 0, 50)])
    assert all(word in found.summary for word in ("rank 2", "28.5 ms", "compute"))


def accumulating(passes: int) -> list[Profile]:
    """Two ranks that reduce the gradients of every pass, of which several make one update."""
    found: list[Profile] = []
    for rank in (0, 1):
        line, length = Timeline(rank=rank, world_size=2, base_ns=1_000_000_000_000), 10 * passes * MS
        for step in range(5):
            at = step * length
            line.span("main", at, at + length, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            for place in range(passes):
                begin, number = at + 10 * place * MS, step * passes + place
                line.span("main", begin, begin + MS, SpanKind.OP, "DistributedDataParallel.forward")
                line.span("gpu 0/7", begin, begin + 6 * MS, SpanKind.KERNEL, "k")
                line.span("gpu 0/8", begin + 6 * MS, begin + 10 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, number))
            line.span("main", at + length - MS, at + length, SpanKind.ANNOTATION, "Optimizer.step#SGD.step")
        found.append(line.build())
    return found


def test_gradients_that_are_accumulated_are_reduced_once() -> None:
    found = finding("communication_exposed", accumulating(4), bounds=True)
    assert (found.verdict, "no_sync" in found.code.pytorch) == (Verdict.FIRES, True)
    assert found.step_ms == (pytest.approx(28), pytest.approx(28)), "one of four reductions of 4 ms is left"
    alone = finding("communication_exposed", accumulating(1), bounds=True)
    assert (alone.verdict, "no_sync" in alone.code.pytorch) == (Verdict.FIRES, False)


def test_padding_is_advised_only_where_shapes_change() -> None:
    steps = "main: cccl......; gpu 0: ....KKKKKK"
    fixed = repeated(steps)
    compiled = np.flatnonzero(fixed.spans.kind == SpanKind.COMPILE)
    shape = fixed.spans.shape.copy()
    shape[compiled] = np.arange(len(compiled)) % 2 + len(fixed.names)
    changing = replace(fixed, spans=replace(fixed.spans, shape=shape), names=[*fixed.names, "f32[2,8]", "f32[2,9]"])
    with_padding, without = (finding("recompile", each) for each in (changing, fixed))
    assert (with_padding.verdict, without.verdict) == (Verdict.FIRES, Verdict.FIRES)
    assert ("pad" in with_padding.code.jax, "dynamic=True" in with_padding.code.pytorch) == (True, True)
    assert not any(word in text for text in (without.code.jax, without.code.pytorch) for word in ("pad", "dynamic=True"))


def test_workers_that_are_started_again_are_kept() -> None:
    slow = f"main: {'i' * 40}oooooooooo"
    usual = "main: ioooooooooo"
    names = {"i": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "o": "aten::mm"}
    steps = [usual, usual, usual, slow, usual, usual, usual, slow, usual]
    found = finding("slow_steps", training(*steps, names=names))
    assert (found.verdict, "persistent_workers=True" in found.code.pytorch) == (Verdict.FIRES, True)
