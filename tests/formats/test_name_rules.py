"""Every role fits names that frameworks write and not those next to them, and names are read for what they carry."""

from __future__ import annotations

import pytest

from stepscope.formats.name_rules import NAME_RULES
from stepscope.model.profile import Profile
from stepscope.model.span_names import NameRole, NoNameRules

FITTING = {
    NameRole.REST: ("(too many names)", "(too many names) of mine"),
    NameRole.SLEEP: ("<built-in function sleep>", "<built-in function sleeper>"),
    NameRole.WAIT: ("threading.py(323): wait", "waiter.py(1): serve"),
    NameRole.WAITS_FOR_THREAD: ("$threading.py:440 acquire", "$array.py:640 block_until_ready"),
    NameRole.ASLEEP: ("<built-in method poll of select.epoll object>", "train.py(3): poll_once"),
    NameRole.PROFILER: ("torch/profiler/profiler.py(80): step", "profiler_of_mine.py(1): step"),
    NameRole.LOADS_DATA: ("train.py(12): load_batch", "train.py(12): load_weights"),
    NameRole.AROUND_OPERATIONS: ("$pjit.py:330 cache_miss", "torch/utils/data/dataloader.py(1): __next__"),
    NameRole.FORMATS: ("torch/_tensor_str.py(699): _str", "torch/_tensor.py(647): backward"),
    NameRole.LAYER_CODE: ("torch/nn/modules/linear.py(120): forward", "torch/cuda/__init__.py(1): f"),
    NameRole.BUILT_IN: ("<built-in method run>", "builtin.py(1): f"),
    NameRole.MODULE_CALL: ("nn.Module: Linear_0", "Module: Linear_0"),
    NameRole.ANNOTATED_MODULE_CALL: ("[pl][module]torch.nn.Linear: layer.0", "[pl]torch.nn.Linear"),
    NameRole.OPTIMIZER_STEP: ("Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"),
    NameRole.MANY_TENSORS: ("aten::_foreach_add_", "aten::add_"),
    NameRole.SINGLE_CALL: ("EagerKernelExecute", "KernelExecute"),
    NameRole.EAGER_OPERATION: ("EagerLocalExecute: IteratorGetNext", "EagerExecute: Add"),
    NameRole.EAGER_MODEL_OPERATION: ("EagerLocalExecute: AddV2", "EagerLocalExecute: IteratorGetNext"),
    NameRole.COMPILED_CALL: ("EagerLocalExecute: __inference_train_step_12", "EagerLocalExecute: AddV2"),
    NameRole.EAGER_KERNEL: ("KernelAndDeviceFunc::Run", "KernelAndDeviceFunc::Run::Prepare"),
    NameRole.JAX_FUNCTION: ("PjitFunction(step)", "PjitFunction(step) again"),
    NameRole.TORCH_REGION: ("Torch-Compiled Region: 0/1", "Torch-Compiled Region"),
    NameRole.NO_FUNCTION: ("ExecutorState::Process", "train_step"),
    NameRole.PROGRAM_RUN: ("ThunkExecutor::Execute (wait for completion)", "ThunkExecutor::Executed"),
    NameRole.PYTHON_OPERATION: ("PyFunc:EagerPyFunc", "PyFunc"),
    NameRole.DATA_PARALLEL: ("DataParallel.forward", "DistributedDataParallel.forward"),
    NameRole.SYNCED_PASS: ("DistributedDataParallel.forward", "DataParallel.forward"),
    NameRole.RECOMPUTE: ("CheckpointFunctionBackward", "CheckpointFunction"),
    NameRole.REMATERIALIZED: ("fusion.remat2", "fusion.remainder"),
    NameRole.COMMUNICATION_CALL: ("c10d::allreduce_", "c10d_logger"),
    NameRole.BACKWARD_CALL: ("autograd::engine::evaluate_function: MmBackward0", "MmBackward0"),
    NameRole.CAST_CALL: ("aten::_to_copy", "aten::copy_"),
    NameRole.DRIVER_FREE: ("cudaFree", "cudaFreeAsync"),
    NameRole.DRIVER_ALLOCATE: ("cudaMalloc", "cudaMallocAsync"),
    NameRole.TRANSPOSE: ("wrapped_transpose", "transposed"),
    NameRole.LAYOUT_CALL: ("aten::contiguous", "aten::clone"),
    NameRole.TO_CHANNELS_LAST: ("nchwToNhwcKernel", "nhwcToNchwKernel"),
    NameRole.TO_CHANNELS_FIRST: ("nhwcToNchwKernel", "nchwToNhwcKernel"),
    NameRole.IMAGE_LAYOUT: ("batched_transpose_16x16", "transpose_kernel"),
    NameRole.NARROWING_COPY: ("bfloat16_copy_kernel_cuda", "float_copy_kernel"),
    NameRole.WIDENING_COPY: ("direct_copy_kernel_cuda", "copy_kernel"),
    NameRole.CONVOLUTION: ("aten::conv2d", "convert_element_type"),
    NameRole.NAMELESS_FUSION: ("loop_fusion.3", "loop_add_fusion.3"),
    NameRole.INPUT_ROOT: ("Iterator::Root", "Iterator::Root::Map"),
    NameRole.INPUT_OPERATION: ("IteratorGetNext:IteratorGetNext", "GetNext"),
    NameRole.WORKER_WAIT: ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "enumerate(DataLoader)"),
    NameRole.WORKER_ITERATOR: (
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    ),
    NameRole.SINGLE_ITERATOR: (
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
    ),
    NameRole.WORKER_FEEDER: ("multiprocessing/queues.py(250): _feed", "multiprocessing/queues.py(250): get"),
    NameRole.WORKS_AHEAD: ("Iterator::Root::ParallelMapV2", "Iterator::Root::Map"),
    NameRole.PREFETCH: ("Iterator::Root::Prefetch", "Iterator::Root::Prefetch::Map"),
    NameRole.EPOCH: ("epoch_3", "epochs"),
    NameRole.VALIDATION: ("run_val_step", "value"),
    NameRole.REQUEST: ("handle_request_7", "requests"),
    NameRole.QUEUE_WAIT: ("queue_wait", "queue"),
    NameRole.LAUNCH_CALL: ("cudaLaunchKernelExC", "cudaStreamSynchronize"),
    NameRole.LOADER_CODE: ("torch/utils/data/_utils/fetch.py(50): fetch", "augment.py(12): normalize"),
    NameRole.LOADER_CALL: ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "DataLoader"),
    NameRole.STEP: ("train_step 12", "forward_step"),
    NameRole.SERVED_BATCH: ("step[DECODE bs=4]", "step 4"),
    NameRole.MODEL_PASS: ("model.py(40): forward", "train.py(3): run"),
    NameRole.SERVING: ("model_runner.py(10): execute_model", "train.py(10): step"),
}


@pytest.mark.parametrize("role", list(NameRole), ids=lambda role: role.name)
def test_a_role_fits_its_names_alone(role: NameRole) -> None:
    fits, does_not = FITTING[role]
    assert (NAME_RULES.fits(role, fits), NAME_RULES.fits(role, does_not)) == (True, False)


@pytest.mark.parametrize(
    ("role", "name", "carried"),
    [
        (NameRole.MODULE_CALL, "nn.Module: Linear_0", ("Linear_0",)),
        (NameRole.ANNOTATED_MODULE_CALL, "[pl][module]torch.nn.Linear: layer.0", ("torch.nn.Linear: layer.0",)),
        (NameRole.JAX_FUNCTION, "PjitFunction(step(1))", ("step(1)",)),
        (NameRole.TORCH_REGION, "Torch-Compiled Region: 12/3", ("12", "3")),
        (NameRole.EAGER_OPERATION, "EagerLocalExecute: AddV2", ("AddV2",)),
        (NameRole.EPOCH, "epoch #12", ("12",)),
        (NameRole.EPOCH, "epoch", ("",)),
        (NameRole.EPOCH, "step", None),
        *((NameRole.STEP, name, None) for name in ("Optimizer.step#SGD.step", "aten::step", "epoch 3", "stepper", "batch", "forward")),
        (NameRole.STEP, "step[EXTEND bs=4 toks=2048]", ("step", "", "", "", "", "")),
        (NameRole.STEP, "execute_context_1(8)_generation_0(0)", ("", "execute", "", "", "", "")),
        (NameRole.STEP, "Training_Step #3", ("", "", "", "Training_Step", "", "")),
        (NameRole.STEP, "iteration 7", ("", "", "", "iteration", "", "")),
    ],
)
def test_names_are_read_for_what_they_carry(role: NameRole, name: str, carried: tuple[str, ...] | None) -> None:
    assert NAME_RULES.carried(role, name) == carried


def test_stages_are_paths_without_places_of_inner_iterators() -> None:
    assert NAME_RULES.stage("Iterator::Root::Interleave[3]::TFRecord") == ("Iterator", "Root", "Interleave", "TFRecord")
    assert NAME_RULES.stage("aten::Iterator") == ()


def test_the_first_row_that_fits_tells_the_input_phase() -> None:
    assert NAME_RULES.input_phase("aten::stack") == (0, "collate")
    assert NAME_RULES.input_phase("aten::add") == (3, "transform")
    assert NAME_RULES.input_phase("train.py(3): step") is None


def test_asking_a_profile_without_rules_says_what_to_do() -> None:
    rules = Profile.__dataclass_fields__["name_rules"].default_factory()
    assert isinstance(rules, NoNameRules)
    with pytest.raises(AttributeError, match=r"stepscope\.formats"):
        rules.fits  # noqa: B018 (asking is what fails)
