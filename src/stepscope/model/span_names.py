"""What names of spans can say beyond the span's kind: the words for it, and how analyses ask for it without looking at names."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

Stage = tuple[str, ...]
"""A stage of an input pipeline: its names from the consumer's side on."""


OTHER_NAMES = "(too many names)"
"""What all names beyond a limit are shown as; the native core calls them so, too."""


class NameRole(Enum):
    """What a name says. One name may say several of these, so they are no kinds; the tables of names are in `formats`."""

    # all formats
    REST = auto()  # stands for the many names beyond the limit, which have nothing in common
    # Python functions
    SLEEP = auto()
    WAIT = auto()  # stands still until a lock, another thread or the device is ready
    WAITS_FOR_THREAD = auto()  # until a lock or another thread of the process is
    ASLEEP = auto()  # needs no core: waits for another thread or process, for a lock or for time to pass
    PROFILER = auto()  # is there because somebody records
    LOADS_DATA = auto()
    AROUND_OPERATIONS = auto()  # what a framework does in Python before an operation of its own begins
    FORMATS = auto()  # makes text of values: prints, formats, logs
    LAYER_CODE = auto()  # a layer, an optimizer or autograd
    BUILT_IN = auto()
    # calls of frameworks
    MODULE_CALL = auto()  # a module of the model that PyTorch recorded; the name carries the module
    ANNOTATED_MODULE_CALL = auto()  # the same as Lightning annotates it
    OPTIMIZER_STEP = auto()
    MANY_TENSORS = auto()  # one operation for many parameters
    SINGLE_CALL = auto()  # of an operation outside of functions in TensorFlow, or of a compiled function in JAX
    EAGER_OPERATION = auto()  # TensorFlow runs one operation on its own; the name carries the operation
    EAGER_MODEL_OPERATION = auto()  # the same, without the input pipeline's and internal ones
    COMPILED_CALL = auto()  # the same of a compiled function; the name carries the function
    EAGER_KERNEL = auto()  # the run of what such a call computes
    JAX_FUNCTION = auto()  # the name carries the function
    TORCH_REGION = auto()  # the name carries frame and version
    NO_FUNCTION = auto()  # a root call of TensorFlow that is not called like a function of the program
    PROGRAM_RUN = auto()  # XLA runs a compiled program on threads of its own, or waits there for the rest of it
    PYTHON_OPERATION = auto()  # an operation that calls Python
    DATA_PARALLEL = auto()  # torch's DataParallel
    SYNCED_PASS = auto()  # forward pass of a model that reduces gradients over ranks
    RECOMPUTE = auto()  # of activations, for the backward pass
    REMATERIALIZED = auto()  # an operation that XLA or JAX's checkpoint has doubled
    BACKWARD_CALL = auto()
    COMMUNICATION_CALL = auto()  # of the host: hands a collective over, or waits for it
    CAST_CALL = auto()
    LAUNCH_CALL = auto()  # starts work on a device; carries what only CUDA's or HIP's call has, and only Ascend's
    DRIVER_FREE = auto()
    DRIVER_ALLOCATE = auto()
    # kernels and operations by what they compute
    TRANSPOSE = auto()  # changes a layout and nothing else
    LAYOUT_CALL = auto()  # copies a tensor so that its values lie in another order
    TO_CHANNELS_LAST = auto()
    TO_CHANNELS_FIRST = auto()
    IMAGE_LAYOUT = auto()
    NARROWING_COPY = auto()
    WIDENING_COPY = auto()  # also plain copies: only the call around one tells
    CONVOLUTION = auto()
    NAMELESS_FUSION = auto()  # fused by a compiler, and called by a number
    # input pipelines
    INPUT_ROOT = auto()  # where the consumer takes elements out of tf.data
    INPUT_OPERATION = auto()  # tf.data's operation that hands out elements
    WORKER_WAIT = auto()  # torch's DataLoader waits for its worker processes
    WORKER_ITERATOR = auto()  # the DataLoader's call that hands out batches of workers
    SINGLE_ITERATOR = auto()  # the same without workers
    WORKER_FEEDER = auto()  # of its threads, one for each worker
    WORKS_AHEAD = auto()  # a stage whose time in the consumer's thread is waiting
    PREFETCH = auto()
    LOADER_CODE = auto()  # Python of a loader itself, of queues and of locks: whoever wrote the dataset can change none of it
    LOADER_CALL = auto()  # the DataLoader's call that hands out a batch, however it loads
    # annotations of users and of serving programs
    STEP = auto()  # around one step; the name carries what it is called without numbers
    SERVED_BATCH = auto()  # of a server; carries mode, size, tokens (SGLang), or prefilled, their tokens, decoded, new, cached (vLLM)
    MODEL_PASS = auto()  # a pass through a model or a part of one: what repeats inside it are layers, never steps
    EPOCH = auto()  # the name may carry a number
    VALIDATION = auto()
    REQUEST = auto()
    QUEUE_WAIT = auto()
    SERVING = auto()


class NameRules(Protocol):
    """How names are read; the same for profiles of every format."""

    def fits(self, role: NameRole, name: str) -> bool:
        """Whether the name says that."""
        ...

    def carried(self, role: NameRole, name: str) -> tuple[str, ...] | None:
        """What a name with the role carries, in the order of its role's description; None for another name."""
        ...

    def stage(self, name: str) -> Stage:
        """The stage of an input pipeline that the name stands for, () for another name."""
        ...

    def input_phase(self, name: str) -> tuple[int, str] | None:
        """Rank and word of the part of preparing a batch that the name tells of."""
        ...

    def short_name(self, kernel: str) -> str:
        """A kernel's name as it fits a table."""
        ...

    def kernel_family(self, kernel: str) -> str:
        """What a kernel computes: "matmul", "layout", …, "other"."""
        ...

    def uses_matrix_units(self, kernel: str) -> bool | None:
        """Whether a kernel multiplies on matrix units; None for a product whose naming is unknown."""
        ...

    def could_use_matrix_units(self, op: str, kernel: str) -> bool:
        """Whether matrix units are made for such an operation."""
        ...

    def number_format(self, kernel: str) -> str | None:
        """The format of the numbers that a product kernel multiplies; None when its name does not tell."""
        ...


class NoNameRules:
    """Of a profile that no format has made ready: asking anything of its names is a mistake of the program."""

    def __getattr__(self, asked: str) -> object:
        raise AttributeError(f"This profile has no rules for names, so {asked} is not known: give it those of stepscope.formats.")
