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
        "30 % of a step, 3 ms, the device waits for allocations.",
        0.3,
    ),
    quiet("allocator_churn", lambda: repeated(BUSY), "The device does not wait for allocations."),
    cannot_tell("allocator_churn", lambda: repeated("main: oooooooooo; gpu 0: ..KKKK...K"), "Calls into the device's runtime were not"),
    fires(
        "device_to_host_exposed",
        lambda: repeated("main: l.l.sssssso; gpu 0: .KKKKKKDDD."),
        "27 % of a step, 3 ms, the device only sends to the host.",
        3 / 11,
    ),
    quiet(
        "device_to_host_exposed",
        lambda: repeated("main: l.l.......; gpu 0/7: .KKKKKKKKK; gpu 0/8: ...DDDD"),
        "Copies to the host run beside compute, or there are none.",
    ),
    cannot_tell(
        "device_to_host_exposed",
        lambda: without_direction("main: l.l.......; gpu 0: .DDDKKKKKK"),
        "30 % of a step is copying, and the recording does not tell",
    ),
    fires(
        "layout_round_trips",
        lambda: repeated(CONVERTED, names=THERE_AND_BACK),
        "36 % of a step, 4 ms, tensors change their layout again and again.",
        4 / 11,
    ),
    quiet(
        "layout_round_trips",
        lambda: repeated(CONVERTED, names=THERE_AND_BACK | {"L": "relu"}),
        "Layouts change in one direction only: nothing is converted back.",
    ),
    cannot_tell("layout_round_trips", lambda: repeated(BUSY, names={"K": "fusion_12"}), "100 % of compute runs in fused kernels whose"),
    fires(
        "many_small_kernels",
        lambda: repeated(QUEUED, **MICROSECOND),
        "38 % of a step, 118 µs, the device pauses between kernels that are queued.",
        118 / 310,
    ),
    quiet("many_small_kernels", lambda: repeated(BUSY), "1 kernels a step, the median takes 9 ms: they are not many small ones."),
    cannot_tell("many_small_kernels", lambda: repeated(UNLINKED), "The recording does not tell which call launched which kernel."),
    fires(
        "wrong_device",
        lambda: repeated(ON_THE_HOST),
        "50 % of a step, 7 ms, data goes to the host, is worked on and comes back.",
        0.5,
    ),
    quiet("wrong_device", lambda: repeated(BUSY), "Nothing is copied to the host, worked on there and copied back."),
    cannot_tell("wrong_device", without_direction, "30 % of a step is copying, and the recording does not tell in which"),
    fires(
        "data_parallel",
        lambda: repeated(ANNOTATED, names={"n": "DataParallel.forward"}),
        "10 % of a step, 1 ms, one process hands model and data to its devices.",
        0.1,
    ),
    quiet(
        "data_parallel", lambda: repeated(ANNOTATED, names={"n": "DistributedDataParallel.forward"}), "Nothing in the recording copies"
    ),
    cannot_tell("data_parallel", lambda: repeated(TWO_DEVICES), "The process copies 1 ms a step between its devices, and"),
    fires(
        "stage_not_parallel",
        lambda: repeated("main: iiil......; loader 1: fff; gpu 0: ....KKKKKK", names=STAGE),
        "30 % of a step waits for input, and Map handles one element at a time.",
        0.3,
    ),
    quiet("stage_not_parallel", lambda: repeated("main: iiil......; gpu 0: ....KKKKKK"), "The input does not come from tf.data."),
    cannot_tell("stage_not_parallel", lambda: repeated(BUSY), "No call that fetches the next batch was recorded."),
    fires(
        "small_messages",
        lambda: messages(2, 12, 10_000),
        "12 messages a step are smaller than a megabyte; packed together they would save 22 ms, 22 % of the step.",
        0.22,
    ),
    quiet("small_messages", lambda: messages(2, 12, 5_000_000), "0 messages a step are smaller than a megabyte."),
    cannot_tell("small_messages", lambda: messages(1, 12, 10_000), "12 messages a step are small, but waiting for other ranks"),
    fires(
        "host_collectives",
        lambda: messages(2, 12, 5_000_000, on_host=True),
        "24 % of a step, 24 ms, data goes from rank to rank through the host.",
        0.24,
    ),
    quiet("host_collectives", lambda: messages(2, 12, 5_000_000), "No communication runs on the host, or compute hides it."),
    cannot_tell("host_collectives", lambda: messages(1, 12, 10_000, on_host=True), "24 % of a step is communication on the host, but"),
    fires(
        "memory_fragmented",
        lambda: with_levels(making_room(), 50 << 20, 90 << 20, 100 << 20),
        "The allocator holds 90 MiB, uses 56 % of it, and still has to make room; that takes 3 ms, 30 % of a step.",
        0.3,
    ),
    quiet("memory_fragmented", lambda: repeated(BUSY), "The allocator never has to give memory back to find room."),
    cannot_tell("memory_fragmented", making_room, "The allocator gives memory back and takes it again inside steps; how much"),
    fires(
        "near_memory_limit",
        lambda: with_levels(making_room(), 95 << 20, 100 << 20, 100 << 20),
        "95 % of the device's memory is allocated at most; making room takes 3 ms, 30 % of a step.",
        0.3,
    ),
    quiet(
        "near_memory_limit",
        lambda: with_levels(repeated(BUSY), 95 << 20, 100 << 20, 100 << 20),
        "95 % of the memory is allocated at most, and no step has to make room: that is memory well used.",
    ),
    cannot_tell("near_memory_limit", lambda: repeated(BUSY), "How full the device's memory is was not recorded."),
    fires(
        "checkpoint_blocking",
        lambda: training(BUSY, BUSY, BUSY, "main: l.........wwwwwwwwww; gpu 0: .KKKKKKKKK", BUSY, BUSY),
        "17 % of the time, in 1 step, the training waits until something is written.",
        1 / 6,
    ),
    quiet("checkpoint_blocking", lambda: repeated(BUSY), "No checkpoint or summary is written in these steps."),
    cannot_tell("checkpoint_blocking", lambda: repeated(HALF_IDLE), "No checkpoint or summary was recorded, and Python functions"),
    fires(
        "garbage_collection",
        lambda: repeated("main: gggl......; gpu 0: ....KKKKKK"),
        "30 % of the time, in 6 steps, the training waits until Python has collected garbage.",
        0.3,
    ),
    quiet("garbage_collection", lambda: repeated(BUSY), "There is no time in which garbage could be collected."),
    cannot_tell("garbage_collection", lambda: repeated(HALF_IDLE), "Collections of garbage were not recorded."),
    fires(
        "shuffle_filling",
        lambda: training(FILLED, FILLED, FILLED, FILLS, FILLED, FILLED, names=SHUFFLE),
        "The training waits 40 ms, 51 % of the recording, while a shuffle buffer is filled.",
        40 / 79,
    ),
    quiet("shuffle_filling", lambda: training(FILLS, *[FILLED] * 5, names=SHUFFLE), "No shuffle buffer is filled while a later step"),
    cannot_tell("shuffle_filling", lambda: repeated(BUSY), "No call that fetches the next batch was recorded."),
    fires(
        "eager_loop",
        lambda: of("TensorFlow", repeated(EAGER, names={"f": "EagerKernelExecute"})),
        "25 operations a step are run one by one; 50 % of the step, 25 ms, goes into calling them.",
        0.5,
    ),
    quiet("eager_loop", lambda: of("TensorFlow", repeated(EAGER, names={"f": "FunctionRun"})), "No operation is run on its own."),
    cannot_tell("eager_loop", lambda: of("JAX", repeated(BUSY)), "Calls into the framework were not recorded."),
    fires(
        "unfused_optimizer",
        lambda: repeated(UPDATE, names={"n": "Optimizer.step#SGD.step", "o": "aten::add_"}, **MICROSECOND),
        "The optimizer runs 50 operations in an update; 83 % of a step, 250 µs, nothing else runs than the calls of them.",
        250 / 300,
    ),
    quiet(
        "unfused_optimizer",
        lambda: repeated(UPDATE, names={"n": "Optimizer.step#SGD.step", "o": "aten::_foreach_add_"}, **MICROSECOND),
        "The optimizer updates many parameters at once.",
    ),
    cannot_tell("unfused_optimizer", lambda: repeated(BUSY), "The recording does not tell when the optimizer works."),
    fires(
        "slow_operator",
        lambda: computing("Tesla V100", 3.0),
        "dot takes 82 % of a step and reaches 33 % of what the device can do.",
        4 / 11,
    ),
    quiet("slow_operator", lambda: computing("Tesla V100", 5.0), "dot takes 82 % of a step and reaches 56 % of what the device can."),
    cannot_tell("slow_operator", lambda: computing("", 3.0), "dot takes 82 % of a step; how fast the device could do it is not known."),
    fires(
        "queue_wait",
        lambda: repeated(SERVED, names={"n": "queue_wait"}),
        "60 % of a batch's time, 6 ms, it waits while the device is idle.",
        0.6,
    ),
    quiet("queue_wait", lambda: repeated(SERVED), "Nothing in the recording waits in a queue of requests."),
    cannot_tell(
        "queue_wait", lambda: repeated(SERVED, names={"n": "ProcessBatch"}), "The recording serves requests, and nothing in it"
    ),
    fires(
        "recomputation",
        lambda: with_levels(computing("", 1.0, "jit(step)/rematted_computation/dot", 3), 40 << 20, 50 << 20, 100 << 20),
        "27 % of a step, 3 ms, activations are computed a second time; 60 % of the memory is free.",
        3 / 11,
    ),
    quiet("recomputation", lambda: computing("", 1.0), "Nothing is computed a second time for the backward pass."),
    cannot_tell(
        "recomputation",
        lambda: computing("", 1.0, "jit(step)/rematted_computation/dot", 3),
        "27 % of a step computes activations again;",
    ),
    fires(
        "duplicate_work",
        lambda: compiled("first", "second", "third"),
        "27 % of a step, 3 ms, a program computes the same again or for nobody.",
        3 / 11,
        programs=lambda: [one_program(again=True)],
    ),
    quiet(
        "duplicate_work",
        lambda: compiled("first", "second", "third"),
        "Nothing in the compiled programs is computed twice or for nobody",
        programs=lambda: [one_program(again=False)],
    ),
    cannot_tell("duplicate_work", lambda: compiled("first", "second", "third"), "The compiled programs are not in the recording, or"),
    fires(
        "device_idle",
        lambda: repeated("main: l.........; gpu 0: .KKK......"),
        "70 % of a step, 7 ms, the device has nothing to do, and no rule explains it: 6 ms untraced, 833 µs launch bound (l). R",
        None,
    ),
    quiet("device_idle", lambda: repeated("main: l.........; gpu 0: .KKKKKK..."), "In 40 % of a step the device has nothing to do."),
    cannot_tell("device_idle", lambda: repeated("main: .........."), "Nothing in the recording tells what ran."),
]
