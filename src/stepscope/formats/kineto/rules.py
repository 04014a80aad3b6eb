"""What names in a PyTorch trace mean: the one table the reader asks, in order; the first rule that matches decides.

To teach the reader a new kernel, category or thread, add a line. Letters match in either case, * stands for anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from stepscope.formats.collective_names import COLLECTIVE_NAMES
from stepscope.model.profile import SpanKind, TrackPurpose


class Scope(IntEnum):
    """What a rule's text is held against, and so what its result is; the numbers are those of native/profile/kineto_rules.hpp."""

    CATEGORY = 0  # an event's category; a CategoryClass
    HOST = 1  # an operation's or annotation's name; a SpanKind
    PYTHON = 2  # a Python function's name; a SpanKind
    RUNTIME = 3  # a runtime call; a SpanKind
    KERNEL = 4  # a kernel; a SpanKind
    LAUNCH = 5  # a runtime call that starts work on the device; 1
    THREAD = 6  # a thread's name; a TrackPurpose
    THREAD_PYTHON = 7  # a Python function that only such a thread runs; a TrackPurpose
    COLLECTIVE = 8  # any communication's name; `label` is the common name
    UNPROVEN = 9  # a category no real file of which was there to test on; `label` says whose
    DEVICE = 10  # a process; 1 when it repeats what others hold, and else `label` is the kind of the device that it is


class Match(IntEnum):
    """How a rule's text is held against a name."""

    EXACT = 0
    PREFIX = 1
    SUFFIX = 2
    CONTAINS = 3


class CategoryClass(IntEnum):
    """What the events of a category are."""

    OP = 0
    ANNOTATION = 1
    PYTHON = 2
    RUNTIME = 3
    KERNEL = 4
    COPY = 5
    FILL = 6
    DEVICE_WAIT = 7
    DEVICE_ANNOTATION = 8
    OVERHEAD = 9
    RECORDING = 10
    LAUNCH_FLOW = 11
    BACKWARD_FLOW = 12
    MEMORY = 13
    MEASURED_RANGE = 14


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table."""

    scope: Scope
    match: Match
    text: str
    result: int = 0
    label: str = ""

    def as_tuple(self) -> tuple[int, int, str, int, str]:
        """As the native reader takes it."""
        return (int(self.scope), int(self.match), self.text, int(self.result), self.label)


def _each(scope: Scope, match: Match, result: int, texts: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(Rule(scope, match, text, result) for text in texts)


def _named(scope: Scope, match: Match, label: str, texts: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(Rule(scope, match, text, 0, label) for text in texts)


# Names of both generations; before 2022 they were Operator, Runtime, Kernel, Memcpy, Memset and async.
CATEGORIES: tuple[Rule, ...] = (
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.OP, ("cpu_op", "Operator", "hpu_op", "xpu_op", "python_gc")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.ANNOTATION, ("user_annotation", "collective_comm")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.PYTHON, ("python_function",)),
    *_each(
        Scope.CATEGORY,
        Match.EXACT,
        CategoryClass.RUNTIME,
        ("cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "hip_driver", "xpu_runtime", "xpu_driver", "mtia_runtime"),
    ),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.RUNTIME, ("glow_runtime", "privateuse1_runtime", "privateuse1_driver")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.KERNEL, ("kernel", "concurrent_kernel", "mtia_ccp_events")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.COPY, ("gpu_memcpy", "Memcpy")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.FILL, ("gpu_memset", "Memset")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.DEVICE_WAIT, ("cuda_sync", "xpu_sync", "cuda_event", "hip_sync")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.DEVICE_ANNOTATION, ("gpu_user_annotation",)),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.MEASURED_RANGE, ("cuda_profiler_range",)),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.OVERHEAD, ("overhead",)),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.RECORDING, ("Trace",)),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.LAUNCH_FLOW, ("ac2g", "async", "async_gpu", "async_cpu_to_gpu", "cpu_to_cuda")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.BACKWARD_FLOW, ("fwdbwd", "forward_backward")),
    *_each(Scope.CATEGORY, Match.EXACT, CategoryClass.MEMORY, ("cpu_instant_event",)),
)

UNPROVEN: tuple[Rule, ...] = (
    *_named(Scope.UNPROVEN, Match.PREFIX, "Intel XPU devices", ("xpu_",)),
    *_named(Scope.UNPROVEN, Match.PREFIX, "MTIA devices", ("mtia_",)),
    *_named(Scope.UNPROVEN, Match.PREFIX, "HPU devices", ("hpu_",)),
    *_named(Scope.UNPROVEN, Match.PREFIX, "Glow devices", ("glow_",)),
    *_named(Scope.UNPROVEN, Match.PREFIX, "privately used backends", ("privateuse1_",)),
    *_named(Scope.UNPROVEN, Match.EXACT, "hardware counters", ("hardware_counters",)),
)

# Operations and annotations; what matches nothing is an operation or an annotation, as its category says.
HOST: tuple[Rule, ...] = (
    *_each(Scope.HOST, Match.PREFIX, SpanKind.MARKER, ("ProfilerStep#",)),
    *_each(Scope.HOST, Match.PREFIX, SpanKind.INPUT, ("enumerate(DataLoader)#", "enumerate(DataPipe)#")),
    *_each(Scope.HOST, Match.SUFFIX, SpanKind.INPUT, ("dataloader_next", "_loop].val_next", "_loop].test_next", "_loop].predict_next")),
    *_each(Scope.HOST, Match.CONTAINS, SpanKind.INPUT, ("[pl][profile]get_train_batch", "[pl][profile]fetch_next_train_batch")),
    *_each(Scope.HOST, Match.PREFIX, SpanKind.COLLECTIVE, ("gloo:", "mpi:", "ucc:", "MPI_", "horovod")),
    # Megatron's timers, which tools draw as the timeline of a whole job.
    *_each(Scope.HOST, Match.EXACT, SpanKind.OP, ("forward-compute", "backward-compute", "backward-wgrad-compute", "forward-backward")),
    *_each(Scope.HOST, Match.EXACT, SpanKind.COLLECTIVE, ("forward-send", "forward-recv", "backward-send", "backward-recv")),
    *_each(Scope.HOST, Match.EXACT, SpanKind.COLLECTIVE, ("forward-send-backward-recv", "backward-send-forward-recv")),
    *_each(Scope.HOST, Match.EXACT, SpanKind.COLLECTIVE, ("tp-reducescatter", "tp-allgather", "tp-allreduce", "all-grads-sync")),
    *_each(Scope.HOST, Match.PREFIX, SpanKind.COLLECTIVE, ("grads-reduce-scatter", "params-all-gather")),
    *_each(Scope.HOST, Match.SUFFIX, SpanKind.COLLECTIVE, ("-grads-all-reduce",)),
    *_each(Scope.HOST, Match.CONTAINS, SpanKind.COLLECTIVE, ("oneccl_bindings_for_pytorch::", "torch_ccl::")),
    *_each(Scope.HOST, Match.SUFFIX, SpanKind.COMPILE, ("(dynamo_timed)", "(compile)", "_compile")),
    *_each(
        Scope.HOST,
        Match.EXACT,
        SpanKind.COMPILE,
        ("dynamo", "compile_attempt_*", "bytecode_tracing", "build_guards", "compile_fx_inner"),
    ),
    *_each(Scope.HOST, Match.EXACT, SpanKind.COMPILE, ("create_aot_dispatcher_function", "aot_collect_metadata")),
    *_each(
        Scope.HOST, Match.CONTAINS, SpanKind.COMPILE, ("torch._dynamo.compile", "inductor_compile", "triton_compile", "triton.compile")
    ),
    *_each(Scope.HOST, Match.PREFIX, SpanKind.FRAMEWORK, ("TorchDynamo Cache Lookup", "Pregraph bytecode", "PythonDispatchMode")),
    *_each(Scope.HOST, Match.PREFIX, SpanKind.FRAMEWORK, ("AOTDispatcher Runtime Wrapper",)),
    *_each(Scope.HOST, Match.EXACT, SpanKind.GC, ("Python GC",)),
    *_each(Scope.HOST, Match.CONTAINS, SpanKind.IO, ("save_checkpoint", "ModelCheckpoint", "torch.save")),
)

PYTHON: tuple[Rule, ...] = (
    *_each(Scope.PYTHON, Match.EXACT, SpanKind.GC, ("Python GC",)),
    *_each(Scope.PYTHON, Match.CONTAINS, SpanKind.COMPILE, ("torch/_dynamo/convert_frame.py(", "torch\\_dynamo\\convert_frame.py(")),
    *_each(Scope.PYTHON, Match.CONTAINS, SpanKind.COMPILE, ("torch/_inductor/async_compile.py(", "torch/_inductor/graph.py(")),
    *_each(Scope.PYTHON, Match.SUFFIX, SpanKind.COMPILE, ("triton/compiler/compiler.py(*): compile",)),
    *_each(Scope.PYTHON, Match.CONTAINS, SpanKind.GC, ("<built-in function collect>", "<built-in method collect of module object")),
    *_each(Scope.PYTHON, Match.SUFFIX, SpanKind.IO, ("torch/serialization.py(*): save",)),
    *_each(
        Scope.PYTHON,
        Match.CONTAINS,
        SpanKind.IO,
        ("torch/distributed/checkpoint/state_dict_saver.py(", "torch/utils/tensorboard/writer.py("),
    ),
    *_each(Scope.PYTHON, Match.CONTAINS, SpanKind.IO, ("tensorboardX/writer.py(", "stepscope/writer/summary_writer.py(")),
)

RUNTIME: tuple[Rule, ...] = (
    *_each(Scope.RUNTIME, Match.CONTAINS, SpanKind.SYNC, ("Synchronize", "QueueFinish", "EventWait", "HostSynchronize")),
    *_each(
        Scope.RUNTIME,
        Match.EXACT,
        SpanKind.SYNC,
        ("cudaMemcpy", "cudaMemcpy2D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "hipMemcpy", "hipMemcpyWithStream", "hipMemcpy2D"),
    ),
    *_each(Scope.RUNTIME, Match.PREFIX, SpanKind.SYNC, ("cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "hipMemcpyHtoD", "hipMemcpyDtoH")),
    *_each(Scope.RUNTIME, Match.CONTAINS, SpanKind.ALLOC, ("Malloc", "HostAlloc", "HostRegister", "HostUnregister", "MemAlloc")),
    *_each(Scope.RUNTIME, Match.PREFIX, SpanKind.ALLOC, ("cudaFree", "hipFree", "cuMemFree", "hipHostFree", "urUSM", "zeMemFree")),
    *_each(Scope.RUNTIME, Match.PREFIX, SpanKind.ALLOC, ("cuMemCreate", "cuMemMap", "cuMemUnmap", "cuMemRelease", "cuMemSetAccess")),
    *_each(Scope.RUNTIME, Match.PREFIX, SpanKind.ALLOC, ("cuMemAddress", "hipMemCreate", "hipMemMap", "hipMemUnmap", "hipMemRelease")),
    *_each(Scope.RUNTIME, Match.PREFIX, SpanKind.COMPILE, ("nvrtcCompile", "cuLink", "hiprtcCompile")),
)

LAUNCHES: tuple[Rule, ...] = _each(
    Scope.LAUNCH, Match.CONTAINS, 1, ("LaunchKernel", "LaunchCooperative", "GraphLaunch", "ModuleLaunch", "KernelLaunch")
)

# Kernels that communicate: NCCL and RCCL, MSCCL, oneCCL, HCCL, DeepEP, NVSHMEM, symmetric memory, and custom all-reduces of
# serving engines. A kernel that carries a collective's name among its arguments needs no rule.
KERNELS: tuple[Rule, ...] = (
    *_each(
        Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("ncclKernel", "ncclDevKernel", "rcclKernel", "rcclDevKernel", "mscclKernel")
    ),
    *_each(Scope.KERNEL, Match.PREFIX, SpanKind.COLLECTIVE, ("nccl", "rccl", "hccl", "hcom_", "oneccl", "void mscclpp", "mscclpp")),
    *_each(Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("oneccl_", "mscclpp::", "nvshmem", "rocshmem", "ishmem")),
    *_each(
        Scope.KERNEL,
        Match.CONTAINS,
        SpanKind.COLLECTIVE,
        ("deep_ep::", "dpsk::ep", "::internode::", "::internode_ll::", "::intranode::"),
    ),
    *_each(Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("multimem_all_reduce", "multimem_one_shot", "multimem_all_gather")),
    *_each(Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("one_shot_all_reduce", "two_shot_all_reduce", "stream_write_value32")),
    *_each(Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("cross_device_reduce", "custom_all_reduce", "custom_ar", "quickreduce")),
    *_each(
        Scope.KERNEL,
        Match.CONTAINS,
        SpanKind.COLLECTIVE,
        ("allreduce_prototype", "allreduce_fusion", "lamport_style", "allreduce_kernel"),
    ),
    *_each(
        Scope.KERNEL, Match.CONTAINS, SpanKind.COLLECTIVE, ("oneShotAllReduceKernel", "twoShotAllReduceKernel", "userbuffers_fp16_sum")
    ),
)

# What a device executes beside its work: waits for another stream, and copies.
WAITS_AND_COPIES: tuple[Rule, ...] = (
    *_each(Scope.KERNEL, Match.PREFIX, SpanKind.SYNC, ("event_wait", "event_record", "notify_wait", "notify_record")),
    *_each(Scope.KERNEL, Match.PREFIX, SpanKind.SYNC, ("capture_wait", "semaphore_wait")),
    *_each(Scope.KERNEL, Match.PREFIX, SpanKind.COPY, ("dma_request", "memcpy_async", "sdma_sqe")),
)

# Processes of writers that give their work no category. What is not listed is a device when all its threads are streams.
DEVICES: tuple[Rule, ...] = (
    *_named(Scope.DEVICE, Match.EXACT, "NPU", ("Ascend Hardware",)),
    *_named(Scope.DEVICE, Match.EXACT, "GPU", ("CUDA functions",)),
    *_each(Scope.DEVICE, Match.EXACT, 1, ("Python samples",)),  # of stepscope.profile(python=True)
    *_each(Scope.DEVICE, Match.EXACT, 1, ("Overlap Analysis", "Communication", "HCCL", "AI Core Freq", "LLC", "NPU_MEM", "HBM")),
)

COLLECTIVES: tuple[Rule, ...] = tuple(
    rule for name, spelling in COLLECTIVE_NAMES for rule in _named(Scope.COLLECTIVE, Match.CONTAINS, name, (spelling,))
)

THREADS: tuple[Rule, ...] = (
    *_each(Scope.THREAD, Match.CONTAINS, TrackPurpose.BACKWARD, ("pt_autograd",)),
    *_each(Scope.THREAD, Match.CONTAINS, TrackPurpose.INPUT, ("pt_data_pin", "pt_data_worker")),
    *_each(Scope.THREAD, Match.CONTAINS, TrackPurpose.COMMUNICATION, ("pt_gloo", "pt_mpi", "pt_ucc")),
    *_each(Scope.THREAD, Match.SUFFIX, TrackPurpose.COMMUNICATION, (", pp-comm", ", tp-comm", ", dp-comm")),
    *_each(Scope.THREAD, Match.CONTAINS, TrackPurpose.OTHER, ("pt_nccl_watchdg", "pt_nccl_heartbt", "pt_elastic", "pt_tcpstore")),
    *_each(
        Scope.THREAD_PYTHON, Match.CONTAINS, TrackPurpose.INPUT, ("torch/utils/data/_utils/pin_memory.py(", "_utils\\pin_memory.py(")
    ),
    *_each(
        Scope.THREAD_PYTHON,
        Match.CONTAINS,
        TrackPurpose.INPUT,
        ("torch/utils/data/_utils/worker.py(", "multiprocessing/queues.py(*): _feed"),
    ),
    *_each(Scope.THREAD_PYTHON, Match.CONTAINS, TrackPurpose.INPUT, ("multiprocessing/reduction.py(*): dumps",)),
    *_each(
        Scope.THREAD_PYTHON,
        Match.CONTAINS,
        TrackPurpose.OTHER,
        ("event_file_writer.py(", "tqdm/_monitor.py(", "stepscope/writer/event_log"),
    ),
    *_each(Scope.THREAD_PYTHON, Match.CONTAINS, TrackPurpose.BACKWARD, ("torch/autograd/function.py(",)),
)

RULES: tuple[Rule, ...] = (
    *CATEGORIES,
    *UNPROVEN,
    *HOST,
    *PYTHON,
    *RUNTIME,
    *LAUNCHES,
    *KERNELS,
    *WAITS_AND_COPIES,
    *DEVICES,
    *COLLECTIVES,
    *THREADS,
)
