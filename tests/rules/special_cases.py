"""Drawn trainings for the rules about one special fault each, and the gain that can be counted in the picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import hlo_bytes as hb
from analyses.timeline import MS, Timeline
from rules.cases import BUSY, HALF_IDLE, UNLINKED, cannot_tell, fires, quiet, without_direction
from rules.pictures import repeated, training, with_levels
from stepscope._native import read_hlo
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Device, Profile, Program, SpanKind

MICROSECOND: dict[str, Any] = {"unit": 1_000}
QUEUED = f"main: {'l.' * 60}{'.' * 182}so; gpu 0: {'.' * 10}{'KKK..LLL..' * 30}"
THERE_AND_BACK = {"K": "cudnn::ops::nchwToNhwcKernel", "L": "cudnn::ops::nhwcToNchwKernel", "M": "volta_h884gemm"}
CONVERTED = "main: l.l.l.sssso; gpu 0: .KKMMMMMLL."
ON_THE_HOST = "main: l.l..oooo; gpu 0: .KKKD.....HLLL; main: .........l.l.."
TWO_DEVICES = "main: l.l.l.l...; gpu 0: .KKKKKKKPP; gpu 1: .KKKKKKK"
ANNOTATED = f"main: nnnnnnnnnn; {TWO_DEVICES}"
STAGE = {"f": "Iterator::Root::Prefetch::Map", "i": "Iterator::Root"}
SHUFFLE = {"f": "Iterator::Root::Shuffle", "i": "Iterator::Root"}
FILLED = "main: il......; loader 1: f.......; gpu 0: ..KKKKKK"
FILLS = f"main: {'i' * 40}l......; loader 1: {'f' * 40}.......; gpu 0: {'.' * 41}KKKKKK"
UPDATE = f"main: {'n' * 299}.; main: {'ooooo.' * 50}"
EAGER = f"main: {'fo' * 25}"
SERVED = "main: nnnn.l....; gpu 0: ......KKKK"


def of(framework: str, profile: Profile) -> Profile:
    return replace(profile, framework=framework)


def messages(ranks: int, each: int, size: int, *, on_host: bool = False) -> list[Profile]:
    """Ranks that compute for 50 ms and then send so many messages of 2 ms, all at the same moment."""
    found: list[Profile] = []
    for rank in range(ranks):
        line = Timeline(rank=rank, world_size=2, base_ns=1_000_000_000_000)
        for step in range(5):
            at = step * 100 * MS
            line.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            line.span("gpu 0/7", at, at + 50 * MS, SpanKind.KERNEL, "k")
            for number in range(each):
                begin = at + (50 + 3 * number) * MS
                track = "network 1" if on_host else "gpu 0/8"
                line.span(track, begin, begin + 2 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, step * each + number))
        profile = line.build()
        known = np.full(len(profile.collectives.row), size, np.int64)
        found.append(replace(profile, collectives=replace(profile.collectives, in_bytes=known)))
    return found


def making_room() -> Profile:
    """Steps in which memory is given back for 1 ms and taken again for 2, before 6 ms of work."""
    line = Timeline()
    for step in range(6):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + MS, SpanKind.ALLOC, "cudaFree")
        line.span("main", at + MS, at + 3 * MS, SpanKind.ALLOC, "cudaMalloc")
        call = line.span("main", at + 3 * MS, at + 4 * MS, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("gpu 0", at + 4 * MS, at + 10 * MS, SpanKind.KERNEL, "k", cause=call)
    return line.build()


def computing(device: str, least_ms: float, scope: str = "model", length: int = 9) -> Profile:
    """Steps of 11 ms with one operation of a V100 that needs so long at least, under a scope; the host waits for it."""
    line = Timeline()
    op = line.op("dot", "MatMul", scope=scope, flops=least_ms / 1e3 * 15.7e12, bytes=0.0)
    for step in range(6):
        at, middle = step * 11 * MS, (step * 11 + 1 + length) * MS
        line.span("main", at, at + 11 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        calls = [line.span("main", at + half * MS // 2, at + (1 + half) * MS // 2, SpanKind.RUNTIME, "launch") for half in (0, 1)]
        line.span("main", at + MS, at + 10 * MS, SpanKind.SYNC, "wait")
        line.span("main", at + 10 * MS, at + 11 * MS, SpanKind.OP, "log")
        line.span("gpu 0", at + MS, middle, SpanKind.KERNEL, "stencil", cause=calls[0], op=op)
        line.span("gpu 0", middle, at + 10 * MS, SpanKind.KERNEL, "k", cause=calls[1])
    return replace(line.build(), devices=[Device(device, "GPU", 0)])


def compiled(*names: str) -> Profile:
    """Steps of 11 ms with one 3 ms kernel for each named instruction of a program, and a wait for them."""
    line = Timeline()
    ops = [line.op(name, "fusion", program="jit_f") for name in names]
    for step in range(6):
        at = step * 11 * MS
        line.span("main", at, at + 11 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at + MS, at + 10 * MS, SpanKind.SYNC, "wait")
        line.span("main", at + 10 * MS, at + 11 * MS, SpanKind.OP, "log")
        for place, op in enumerate(ops):
            begin = at + place * MS // 4
            call = line.span("main", begin, begin + MS // 4, SpanKind.RUNTIME, "launch")
            line.span("gpu 0", at + (1 + 3 * place) * MS, at + (4 + 3 * place) * MS, SpanKind.KERNEL, names[place], cause=call, op=op)
    return replace(line.build(), programs=[Program("jit_f", 1, 0, 1)])


def one_program(again: bool) -> HloProgram:
    """Two additions of the same, or of different operands, and a product of both."""
    row = hb.shape(hb.F32, 8)
    entry = hb.computation(
        1,
        5,
        hb.parameter(1, 0, row),
        hb.parameter(2, 1, row),
        hb.instruction(3, "add", row, name="first", operands=(1, 2)),
        hb.instruction(4, "add", row, name="second", operands=(1, 2) if again else (1, 1)),
        hb.instruction(5, "multiply", row, name="third", operands=(3, 4)),
    )
    return replace(HloProgram(**read_hlo(hb.program(entry, entry=1, name="jit_f"))), name="jit_f")


SPECIAL_CASES = [
    fires(
        "allocator_churn",
        lambda: repeated("main: aaal......; gpu 0: ....KKKKKK"),
        "30%, 3 ms",
        0.3,
    ),
    quiet("allocator_churn", lambda: repeated(BUSY), "does not wait"),
    cannot_tell("allocator_churn", lambda: repeated("main: oooooooooo; gpu 0: ..KKKK...K"), "runtime API calls"),
    fires(
        "device_to_host_exposed",
        lambda: repeated("main: l.l.sssssso; gpu 0: .KKKKKKDDD."),
        "27%, 3 ms",
        3 / 11,
    ),
    quiet(
        "device_to_host_exposed",
        lambda: repeated("main: l.l.......; gpu 0/7: .KKKKKKKKK; gpu 0/8: ...DDDD"),
        "to the host, overlap",
    ),
    cannot_tell(
        "device_to_host_exposed",
        lambda: without_direction("main: l.l.......; gpu 0: .DDDKKKKKK"),
        "30%, direction",
    ),
    fires(
        "layout_round_trips",
        lambda: repeated(CONVERTED, names=THERE_AND_BACK),
        "36%, 4 ms, layout",
        4 / 11,
    ),
    quiet(
        "layout_round_trips",
        lambda: repeated(CONVERTED, names=THERE_AND_BACK | {"L": "relu"}),
        "one direction",
    ),
    cannot_tell("layout_round_trips", lambda: repeated(BUSY, names={"K": "fusion_12"}), "100%, fused kernels"),
    fires(
        "many_small_kernels",
        lambda: repeated(QUEUED, **MICROSECOND),
        "38%, 118 µs",
        118 / 310,
    ),
    quiet("many_small_kernels", lambda: repeated(BUSY), "1 kernels, 9 ms"),
    cannot_tell("many_small_kernels", lambda: repeated(UNLINKED), "launches and kernels"),
    fires(
        "wrong_device",
        lambda: repeated(ON_THE_HOST),
        "50%, 7 ms",
        0.5,
    ),
    quiet("wrong_device", lambda: repeated(BUSY), "no data"),
    cannot_tell("wrong_device", without_direction, "30%, direction"),
    fires(
        "data_parallel",
        lambda: repeated(ANNOTATED, names={"n": "DataParallel.forward"}),
        "10%, 1 ms",
        0.1,
    ),
    quiet("data_parallel", lambda: repeated(ANNOTATED, names={"n": "DistributedDataParallel.forward"}), "no call"),
    cannot_tell("data_parallel", lambda: repeated(TWO_DEVICES), "1 ms, caller"),
    fires(
        "stage_not_parallel",
        lambda: repeated("main: iiil......; loader 1: fff; gpu 0: ....KKKKKK", names=STAGE),
        "30%, Map, one element",
        0.3,
    ),
    quiet("stage_not_parallel", lambda: repeated("main: iiil......; gpu 0: ....KKKKKK"), "tf.data"),
    cannot_tell("stage_not_parallel", lambda: repeated(BUSY), "fetches a batch"),
    fires(
        "small_messages",
        lambda: messages(2, 12, 10_000),
        "12 messages, 22 ms, 22%",
        0.22,
    ),
    quiet("small_messages", lambda: messages(2, 12, 5_000_000), "0 messages"),
    cannot_tell("small_messages", lambda: messages(1, 12, 10_000), "12 messages, transfer"),
    fires(
        "host_collectives",
        lambda: messages(2, 12, 5_000_000, on_host=True),
        "24%, 24 ms",
        0.24,
    ),
    quiet("host_collectives", lambda: messages(2, 12, 5_000_000), "no communication"),
    cannot_tell("host_collectives", lambda: messages(1, 12, 10_000, on_host=True), "24%, transfer"),
    fires(
        "memory_fragmented",
        lambda: with_levels(making_room(), 50 << 20, 90 << 20, 100 << 20),
        "90 MiB, 56%, 3 ms, 30%",
        0.3,
    ),
    quiet("memory_fragmented", lambda: repeated(BUSY), "never"),
    cannot_tell("memory_fragmented", making_room, "in use is not recorded"),
    fires(
        "near_memory_limit",
        lambda: with_levels(making_room(), 95 << 20, 100 << 20, 100 << 20),
        "95%, 3 ms, 30%",
        0.3,
    ),
    quiet(
        "near_memory_limit",
        lambda: with_levels(repeated(BUSY), 95 << 20, 100 << 20, 100 << 20),
        "95%, well used",
    ),
    cannot_tell("near_memory_limit", lambda: repeated(BUSY), "device memory"),
    fires(
        "checkpoint_blocking",
        lambda: training(BUSY, BUSY, BUSY, "main: l.........wwwwwwwwww; gpu 0: .KKKKKKKKK", BUSY, BUSY),
        "17%, 1 step",
        1 / 6,
    ),
    quiet("checkpoint_blocking", lambda: repeated(BUSY), "no checkpoint"),
    cannot_tell("checkpoint_blocking", lambda: repeated(HALF_IDLE), "no checkpoint, no Python functions"),
    fires(
        "garbage_collection",
        lambda: repeated("main: gggl......; gpu 0: ....KKKKKK"),
        "30%, 6 steps",
        0.3,
    ),
    quiet("garbage_collection", lambda: repeated(BUSY), "no host time"),
    cannot_tell("garbage_collection", lambda: repeated(HALF_IDLE), "garbage collection"),
    fires(
        "shuffle_filling",
        lambda: training(FILLED, FILLED, FILLED, FILLS, FILLED, FILLED, names=SHUFFLE),
        "40 ms, 51%",
        40 / 79,
    ),
    quiet("shuffle_filling", lambda: training(FILLS, *[FILLED] * 5, names=SHUFFLE), "no step"),
    cannot_tell("shuffle_filling", lambda: repeated(BUSY), "fetches a batch"),
    fires(
        "eager_loop",
        lambda: of("TensorFlow", repeated(EAGER, names={"f": "EagerKernelExecute"})),
        "25 operations, 50%, 25 ms",
        0.5,
    ),
    quiet("eager_loop", lambda: of("TensorFlow", repeated(EAGER, names={"f": "FunctionRun"})), "no operation"),
    cannot_tell("eager_loop", lambda: of("JAX", repeated(BUSY)), "framework calls"),
    fires(
        "unfused_optimizer",
        lambda: repeated(UPDATE, names={"n": "Optimizer.step#SGD.step", "o": "aten::add_"}, **MICROSECOND),
        "50 operations, 83%, 250 µs",
        250 / 300,
    ),
    quiet(
        "unfused_optimizer",
        lambda: repeated(UPDATE, names={"n": "Optimizer.step#SGD.step", "o": "aten::_foreach_add_"}, **MICROSECOND),
        "many parameters",
    ),
    cannot_tell("unfused_optimizer", lambda: repeated(BUSY), "optimizer steps"),
    fires(
        "slow_operator",
        lambda: computing("Tesla V100", 3.0),
        "dot, 82%, 33%",
        4 / 11,
    ),
    quiet("slow_operator", lambda: computing("Tesla V100", 5.0), "dot, 82%, 56%"),
    cannot_tell("slow_operator", lambda: computing("", 3.0), "dot, 82%, peak"),
    fires(
        "queue_wait",
        lambda: repeated(SERVED, names={"n": "queue_wait"}),
        "60%, 6 ms",
        0.6,
    ),
    quiet("queue_wait", lambda: repeated(SERVED), "no request"),
    cannot_tell("queue_wait", lambda: repeated(SERVED, names={"n": "ProcessBatch"}), "queue time"),
    fires(
        "recomputation",
        lambda: with_levels(computing("", 1.0, "jit(step)/rematted_computation/dot", 3), 40 << 20, 50 << 20, 100 << 20),
        "27%, 3 ms, 60%",
        3 / 11,
    ),
    quiet("recomputation", lambda: computing("", 1.0), "no activations"),
    cannot_tell(
        "recomputation",
        lambda: computing("", 1.0, "jit(step)/rematted_computation/dot", 3),
        "27%, free memory",
    ),
    fires(
        "duplicate_work",
        lambda: compiled("first", "second", "third"),
        "27%, 3 ms",
        3 / 11,
        programs=lambda: [one_program(again=True)],
    ),
    quiet(
        "duplicate_work",
        lambda: compiled("first", "second", "third"),
        "no duplicate",
        programs=lambda: [one_program(again=False)],
    ),
    cannot_tell("duplicate_work", lambda: compiled("first", "second", "third"), "HLO"),
    fires(
        "device_idle",
        lambda: repeated("main: l.........; gpu 0: .KKK......"),
        "70%, 7 ms, 6 ms, 833 µs, (l)",
        None,
    ),
    quiet("device_idle", lambda: repeated("main: l.........; gpu 0: .KKKKKK..."), "40%, idle"),
    cannot_tell("device_idle", lambda: repeated("main: .........."), "nothing"),
]
