"""The table of what names of spans say, asked by analyses through the profile; every distinct name is read once.

Kinds come from the tables of the single formats. What is here holds for names of any format, because frameworks call their functions,
operations and kernels the same whoever records them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from stepscope.formats import kernel_names
from stepscope.formats.input_phase_names import input_phase
from stepscope.model.span_names import OTHER_NAMES, NameRole, NameRules, Stage

_WHAT = r"_(?:data|batch(?:es)?|samples?|items?|inputs?|images?)"
_ANY_CASE = re.IGNORECASE
_PATTERNS: dict[NameRole, re.Pattern[str]] = {
    NameRole.REST: re.compile(rf"^{re.escape(OTHER_NAMES)}\Z"),
    NameRole.SLEEP: re.compile(r"^<built-in (?:function|method) sleep\b|^\$time sleep$|\btime\.sleep\b"),
    NameRole.WAIT: re.compile(
        r"block_until_ready|try_to_block|synchronize\b|\bwait\b|\bacquire\b|_wait_for_tstate_lock|\bjoin\b|\bpoll\b"
    ),
    NameRole.WAITS_FOR_THREAD: re.compile(
        r"^<built-in method (?:acquire|__enter__) of _thread\.|^\$\S+ acquire$"
        r"|threading\.py(?:\(\d+\)|:\d+):? (?:acquire|wait|wait_for|join|_wait_for_tstate_lock|__enter__)$"
        r"|queue\.py(?:\(\d+\)|:\d+):? get$"
    ),
    NameRole.ASLEEP: re.compile(
        r"^IteratorGetNext|^Iterator::Root$|_MultiProcessing\w*Iter\b"
        r"|(?:method|function) (?:sleep|poll|select|epoll|acquire|wait)\b|^\$\w+ (?:sleep|poll|select|acquire|wait)$"
        r"|threading\.py(?:\(\d+\)|:\d+):? (?:wait|join|_wait_for_tstate_lock)$"
        r"|(?:concurrent/futures/thread|queue)\.py(?:\(\d+\)|:\d+):? (?:_worker|get)$|selectors\.py(?:\(\d+\)|:\d+):? select$"
    ),
    NameRole.PROFILER: re.compile(
        r"^torch/(?:profiler/|autograd/profiler|_C/_profiler)|record_function|RecordFunction|(?:dis|en)able_profiler"
        r"|^\$(?:profiler|profiler_v2)\.py:\d+ |\bTraceMe\b|TraceAnnotation"
    ),
    NameRole.LOADS_DATA: re.compile(
        rf"(?:^|[ :._])_*(?:(?:load|fetch)(?:{_WHAT})?|(?:read|next|get|make|prepare|generate){_WHAT}"
        r"|collate(?:_fn)?|__getitem__|__next__)$"
    ),
    NameRole.AROUND_OPERATIONS: re.compile(
        r"^nn\.Module: |^torch/(?:nn|optim|autograd|amp|_dynamo|_inductor|cuda)/|^torch/(?:functional|_ops|_compile|overrides)\.py\("
        r"|^torch/_tensor\.py\(\d+\): (?!__(?:repr|format|str|reduce|deepcopy|len|iter|contains)|tolist|split|_reduce|storage)"
        r"|^torch/utils/_(?:foreach_utils|contextlib|device|pytree)\.py\("
        r"|^\$(?:pjit|api|core|array|partial_eval|traceback_util|polymorphic_function|tracing_compilation|concrete_function"
        r"|atomic_function|context|execute|traceback_utils|dispatch)\.py:\d+ "
    ),
    NameRole.FORMATS: re.compile(
        r"torch/_tensor_str\.py\(|: __(?:repr|format|str)__$|^<built-in (?:function|method) (?:print|format|repr)\b"
        r"|^\$builtins (?:print|format|repr)$"
        r"|^\$(?:arrayprint|logging|__init__)\.py:\d+ (?:array2string|_array2string|array_repr|array_str|_log|info|debug|warning)$"
        r"|(?:^|/)(?:logging/__init__|numpy/_?core/arrayprint)\.py\("
    ),
    NameRole.LAYER_CODE: re.compile(r"^nn\.Module: |^torch/(?:nn/modules|optim|autograd)/"),
    NameRole.BUILT_IN: re.compile(r"^<built-in |^\$builtins "),
    NameRole.MODULE_CALL: re.compile(r"^nn\.Module: (.*)", re.DOTALL),
    NameRole.ANNOTATED_MODULE_CALL: re.compile(r"^\[pl\]\[module\](.*)", re.DOTALL),
    NameRole.OPTIMIZER_STEP: re.compile(r"^Optimizer\.step#"),
    NameRole.MANY_TENSORS: re.compile(r"multi_tensor_apply|_foreach_|_fused_|fused_?(?:adam|sgd|lamb)", _ANY_CASE),
    NameRole.SINGLE_CALL: re.compile(r"^(?:EagerKernelExecute|PjitFunction\()"),
    NameRole.EAGER_OPERATION: re.compile(r"^EagerLocalExecute: (\w+)$"),
    NameRole.EAGER_MODEL_OPERATION: re.compile(r"^EagerLocalExecute: (?!__|\w*[dD]ataset|Iterator)(\w+)$"),
    NameRole.COMPILED_CALL: re.compile(r"^EagerLocalExecute: (__\w+)$"),
    NameRole.EAGER_KERNEL: re.compile(r"^KernelAndDevice(?:Func|Op)::Run\Z"),
    NameRole.JAX_FUNCTION: re.compile(r"^PjitFunction\((.*)\)\Z"),
    NameRole.TORCH_REGION: re.compile(r"^Torch-Compiled Region: (\d+)/(\d+)"),
    NameRole.NO_FUNCTION: re.compile(r"^(?:FunctionRun|SessionRun|RunGraph|TraceContext|ExecutorState.*|.*::.*)$"),
    NameRole.PROGRAM_RUN: re.compile(r"^ThunkExecutor::Execute\b"),
    NameRole.PYTHON_OPERATION: re.compile(r":(?:Eager)?PyFunc(?:Stateless)?$|^(?:pure|io|debug)_callback(?:\.\d+)?$"),
    NameRole.DATA_PARALLEL: re.compile(
        r"(?<!Distributed)DataParallel\.forward"
        r"|nn[/\\]parallel[/\\](?:data_parallel|replicate|scatter_gather|comm|_functions|parallel_apply)\.py\("
        r"|^(?:Broadcast|Scatter|Gather|BroadcastBackward|GatherBackward|ReduceAddCoalesced)$"
    ),
    NameRole.SYNCED_PASS: re.compile(r"^DistributedDataParallel\.forward\Z"),
    NameRole.RECOMPUTE: re.compile(
        r"^CheckpointFunctionBackward$"
        r"|torch[/\\]utils[/\\]checkpoint\.py\(\d+\): (?:unpack_hook|recompute_fn|_run_fn_with_dynamo_disabled)$"
    ),
    NameRole.REMATERIALIZED: re.compile(r"rematted_computation|\.remat\d*(?:\W|$)"),
    NameRole.BACKWARD_CALL: re.compile(r"^autograd::engine::evaluate_function: "),
    NameRole.COMMUNICATION_CALL: re.compile(r"^_?c10d(?:_functional)?::"),
    NameRole.CAST_CALL: re.compile(r"^aten::_to_copy$"),
    NameRole.LAUNCH_CALL: re.compile(
        r"^(?:(cu|cuda|hip)|(acl|rt))\w*(?:LaunchKernel|LaunchCooperative|GraphLaunch|ModuleLaunch|KernelLaunch)"
        r"|AppendLaunchKernel|EnqueueKernelLaunch"
    ),
    NameRole.DRIVER_FREE: re.compile(r"Free(?!Async)|Release|Unmap"),
    NameRole.DRIVER_ALLOCATE: re.compile(r"Malloc(?!Async)|MemAlloc(?!Async)|MemCreate|MemMap"),
    # Kernels and operations that only change a layout: cuDNN's, MIOpen's, XLA's and TensorFlow's.
    NameRole.TRANSPOSE: re.compile(
        r"nchw_?to_?nhwc|nhwc_?to_?nchw|batched_transpose|tensor_?reformat|transpose_fusion|wrapped_transpose|transpose_kernel"
        r"|:Transpose$",
        _ANY_CASE,
    ),
    NameRole.LAYOUT_CALL: re.compile(r"^aten::contiguous$"),
    NameRole.TO_CHANNELS_LAST: re.compile(r"nchw_?to_?nhwc", _ANY_CASE),
    NameRole.TO_CHANNELS_FIRST: re.compile(r"nhwc_?to_?nchw", _ANY_CASE),
    NameRole.IMAGE_LAYOUT: re.compile(r"nchw|nhwc|batched_transpose", _ANY_CASE),
    # PyTorch's copies to half precision have kernels of their own; copies to single precision are plain ones, called by a cast.
    NameRole.NARROWING_COPY: re.compile(r"b?float16_copy_kernel|f32_to_b?f16", _ANY_CASE),
    NameRole.WIDENING_COPY: re.compile(r"direct_copy_kernel|b?f16_to_f32", _ANY_CASE),
    NameRole.CONVOLUTION: re.compile(r"conv(?!ert)|winograd|igemm|implicit_gemm", _ANY_CASE),
    NameRole.NAMELESS_FUSION: re.compile(r"^(?:%?(?:loop_|input_)?fusion[._\d]*|fused_computation[._\d]*|kernel[_\d]*)$"),
    NameRole.INPUT_ROOT: re.compile(r"^Iterator::Root\Z"),
    NameRole.INPUT_OPERATION: re.compile(r"^IteratorGetNext"),
    NameRole.WORKER_WAIT: re.compile(r"_MultiProcessing"),
    NameRole.WORKER_ITERATOR: re.compile(r"#(?=_\w+Iter\b)\w*MultiProcessing"),
    NameRole.SINGLE_ITERATOR: re.compile(r"#(?=_\w+Iter\b)\w*SingleProcess"),
    NameRole.LOADER_CODE: re.compile(
        r"torch/(?:utils/data|multiprocessing|autograd/profiler|utils/_|_ops|_C)|(?:^|/)multiprocessing/|concurrent/futures/"
        r"|(?:threading|queue|selectors|contextlib|dataloader)\.py\b|DataLoaderIter|__getitems?__|^<built-in "
    ),
    NameRole.LOADER_CALL: re.compile(r"^enumerate\(Data(?:Loader|Pipe)\)#"),
    # In the training process torch has one such thread for every worker, which hands it indices.
    NameRole.WORKER_FEEDER: re.compile(r"multiprocessing/queues\.py(?:\(\d+\)|:\d+):? _feed$"),
    NameRole.WORKS_AHEAD: re.compile(r"(?:Prefetch|MapAndBatch|(?:Legacy)?Parallel\w+)$"),
    NameRole.PREFETCH: re.compile(r"Prefetch\Z"),
    # SGLang writes step[DECODE bs=8], vLLM execute_context_1(512)_generation_7(7) and execute_model; people write train_step 3.
    NameRole.STEP: re.compile(
        r"^(step)\[|^(execute)_(?:context|new|model|cached|prefill|decode)|^\[pl\]\[profile\](?:\[\w+\])?(run_training_batch)\b"
        r"|^((?:(?:train(?:ing)?|test|eval|val(?:idation)?|global|inference|decode|prefill|mini)[ _./-]?)?(?:step|iteration|iter))"
        r"[ _#:=/-]*\d*$"
        r"|^((?:train(?:ing)?|test|eval|mini)[ _./-]?batch)[ _#:=/-]*\d*$|^(batch)[ _#:=/-]*\d+$",
        _ANY_CASE,
    ),
    NameRole.SERVED_BATCH: re.compile(
        r"^step\[(\w+)(?:[ ,]+bs=(\d{1,9}))?(?:[ ,]+(?:toks|tokens|num_tokens)=(\d{1,12}))?[^\]]*\]"
        r"|^execute_context_(\d{1,9})\((\d{1,12})[^)]*\)_generation_(\d{1,9})\(|^execute_new_(\d{1,9})_cached_(\d{1,9})"
    ),
    NameRole.MODEL_PASS: re.compile(
        r"^nn\.Module: |^\[pl\]\[module\]|^torch/nn/modules/|: (?:forward|_call_impl|_wrapped_call_impl|_model_forward)$"
        r"|^(?:model[ _.]?)?forward(?:[ _]pass)?$|CompiledFxGraph|^Torch-Compiled Region",
        _ANY_CASE,
    ),
    NameRole.EPOCH: re.compile(r"(?<![a-z])epoch(?:[ _#:]*(\d{1,9}))?(?![a-z])", _ANY_CASE),
    NameRole.VALIDATION: re.compile(r"(?<![a-z])(?:val|valid|validate|validation|eval|evaluate|evaluation|test)(?![a-z])", _ANY_CASE),
    NameRole.REQUEST: re.compile(
        r"(?<![a-z])(?:request|predict|prediction|infer|inference|serve|serving|generate|generation|answer|query)(?![a-z])", _ANY_CASE
    ),
    NameRole.QUEUE_WAIT: re.compile(
        r"queue[_ ]?(?:wait|time|delay)|wait(?:ing)?[_ ]for[_ ](?:a[_ ])?(?:batch|request)|batch(?:ing)?[_ ](?:wait|delay)", _ANY_CASE
    ),
    NameRole.SERVING: re.compile(
        r"BatchingSessionRun|ProcessBatch|execute_model|handle_request|model_runner\.py|TritonModel", _ANY_CASE
    ),
}
_STAGE = "Iterator::"
_INNER = re.compile(r"\[\d+\]")
"""The place that tf.data gives to inner iterators."""


class _Table:
    """The table above and those of kernels and input phases."""

    @staticmethod
    @lru_cache(maxsize=1 << 18)
    def fits(role: NameRole, name: str) -> bool:
        """Whether the name says that."""
        return _PATTERNS[role].search(name) is not None

    @staticmethod
    def carried(role: NameRole, name: str) -> tuple[str, ...] | None:
        """What the pattern's groups find, "" for a group without text."""
        found = _PATTERNS[role].search(name)
        return None if found is None else tuple(text or "" for text in found.groups())

    @staticmethod
    def stage(name: str) -> Stage:
        """Parts of the path that tf.data calls a stage by, without the places of inner iterators."""
        return tuple(_INNER.sub("", name).split("::")) if name.startswith(_STAGE) else ()

    input_phase = staticmethod(input_phase)
    short_name = staticmethod(kernel_names.short_name)
    kernel_family = staticmethod(kernel_names.family_of)
    uses_matrix_units = staticmethod(kernel_names.uses_matrix_units)
    could_use_matrix_units = staticmethod(kernel_names.could_use_matrix_units)
    number_format = staticmethod(kernel_names.number_format)


NAME_RULES: NameRules = _Table()
