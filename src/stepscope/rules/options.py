"""What to switch on so that a rule can tell: the option of the recording's own framework, and never one that was on already."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stepscope.model.profile import Profile

_XLA = ("TensorFlow", "JAX")


class Shows(Enum):
    """What a recording may lack."""

    HOST = "Capture host activity"
    OPERATIONS = "Capture operations"
    DEVICE = "Capture device activity"
    PYTHON = "Capture Python functions"
    MEMORY = "Capture memory"
    SHAPES = "Capture shapes"
    COLLECTIONS = "Capture garbage collection"


@dataclass(frozen=True, slots=True)
class _Option:
    """How a profiler is told; `name` is what a file calls the option, "" when files do not say whether it was on."""

    text: str
    name: str = ""
    least: int = 1


_HOST_LEVEL = _Option("host_tracer_level=2", "host_tracer_level", 2)
_PYTHON_LEVEL = _Option("python_tracer_level=1", "python_tracer_level")
_DEVICE_LEVEL = _Option("device_tracer_level=1", "device_tracer_level")
_PYTORCH = {
    Shows.HOST: _Option("ProfilerActivity.CPU"),
    Shows.OPERATIONS: _Option("ProfilerActivity.CPU"),
    Shows.DEVICE: _Option("ProfilerActivity.CUDA"),
    Shows.PYTHON: _Option("with_stack=True", "with_stack"),
    Shows.MEMORY: _Option("profile_memory=True", "profile_memory"),
    Shows.SHAPES: _Option("record_shapes=True", "record_shapes"),
    Shows.COLLECTIONS: _Option("record_python_gc_info=True in the profiler's experimental_config"),
}
_OF_XLA = {
    Shows.HOST: _HOST_LEVEL,
    Shows.OPERATIONS: _HOST_LEVEL,
    Shows.DEVICE: _DEVICE_LEVEL,
    Shows.PYTHON: _PYTHON_LEVEL,
    Shows.MEMORY: _HOST_LEVEL,
    Shows.SHAPES: _Option("enable_hlo_proto=True", "enable_hlo_proto"),
    Shows.COLLECTIONS: _PYTHON_LEVEL,
}
MARK_STEPS = (
    "Mark the steps: profiler.step() in PyTorch, tf.profiler.experimental.Trace with step_num in TensorFlow, "
    "jax.profiler.StepTraceAnnotation in JAX."
)
"""For steps that are guessed."""
_OF_TENSORFLOW = {
    Shows.PYTHON: 'Annotate Python code with tf.profiler.experimental.Trace("name"): TensorFlow does not record Python functions.',
    Shows.COLLECTIONS: "Time garbage collection with gc.callbacks: the profiler of TensorFlow does not record it.",
}
"""Its option for Python functions is accepted and has no effect, as measured with 2.21."""
_OTHER_FORMATS = ("run_metadata", "tfprof")
"""Files of TensorFlow 1 that no option of the later profiler changes."""
_LATER_PROFILER = "Capture with tf.profiler.experimental.start instead: files of TensorFlow 1's profiler do not contain it."
_SAVE_MEMORY = "Call jax.profiler.save_device_memory_profile(file): JAX profiles record memory on GPUs only."


def how_to_show(profile: Profile, what: Shows) -> str:
    """One sentence for people who record again."""
    if profile.framework == "JAX" and what is Shows.MEMORY:
        return _SAVE_MEMORY
    if profile.format in _OTHER_FORMATS:
        return _OF_TENSORFLOW.get(what, _LATER_PROFILER)
    if profile.framework == "TensorFlow" and what in _OF_TENSORFLOW:
        return _OF_TENSORFLOW[what]
    if profile.framework not in ("PyTorch", *_XLA):
        xla = "JAX" if what in _OF_TENSORFLOW else "TensorFlow and JAX"
        return f"{what.value}: {_PYTORCH[what].text} in PyTorch, {_OF_XLA[what].text} in {xla}."
    option = (_PYTORCH if profile.framework == "PyTorch" else _OF_XLA)[what]
    if was_on(profile, what):
        return f"{option.text} was already on, but {profile.framework}'s profiler did not record it here."
    return f"{what.value}: {option.text}."


def was_on(profile: Profile, what: Shows) -> bool:
    """Whether the file says that the option was on, and it is one that has an effect."""
    if profile.framework == "TensorFlow" and what in _OF_TENSORFLOW:
        return False
    option = (_PYTORCH if profile.framework == "PyTorch" else _OF_XLA)[what]
    value = profile.environment.get(option.name, "") if option.name else ""
    return value.isdecimal() and int(value) >= option.least
