"""The reasons why an operation has no time or no memory in a profile, and what to do to see it."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """Why something is missing; the value is what answers say."""

    FED = "fed"
    FUSED = "fused"
    CONSTANT_FOLDED = "constant_folded"
    MERGED = "merged"
    REMOVED = "removed"
    PRUNED = "pruned"
    DROPPED_EVENT = "dropped_event"
    OTHER_DEVICE = "other_device"
    COMPILED_PROGRAM = "compiled_program"
    NO_WORK = "no_work"
    OUTSIDE_WINDOW = "outside_window"
    EAGER = "eager"
    TRACER_LEVEL = "tracer_level"
    REUSES_MEMORY = "reuses_memory"
    NO_OUTPUT = "no_output"
    ALLOCATES_NOTHING = "allocates_nothing"
    MEMORY_NOT_RECORDED = "memory_not_recorded"
    PYTHON_FUNCTION = "python_function"
    COMMUNICATION = "communication"
    ASYNCHRONOUS = "asynchronous"
    EXTERNAL = "external"
    CUDA_GRAPH = "cuda_graph"
    CANNOT_TELL = "cannot_tell"


MEANINGS: dict[Reason, tuple[str, str]] = {
    Reason.FED: ("Its value was fed from outside.", "Nothing: a fed value needs no time in the graph."),
    Reason.FUSED: ("It was fused into another operation.", "Look at that operation: its time includes this one."),
    Reason.CONSTANT_FOLDED: ("It was computed once, before the step, and became a constant.", "Nothing: it needs no time in a step."),
    Reason.MERGED: ("An equal operation computes the same value once for both.", "Look at the operation that it was merged into."),
    Reason.REMOVED: ("The graph optimizer removed it: it only passes its input on or orders other nodes.", "Nothing: it does no work."),
    Reason.PRUNED: ("No result fetched in this step depends on it.", "Fetch it, or trace a step that runs it."),
    Reason.DROPPED_EVENT: ("A device ran it, but its event is missing.", "Trace again, with fewer steps or operations."),
    Reason.OTHER_DEVICE: ("It ran on a device or host that recorded nothing here.", "Trace that device or host too."),
    Reason.COMPILED_PROGRAM: ("It is part of a compiled program, which runs as one.", "Look at the program's own operations, in HLO."),
    Reason.NO_WORK: ("It only names memory and does no work.", "Nothing."),
    Reason.OUTSIDE_WINDOW: ("It ran before or after the profiled window, or not at all.", "Profile the step that runs it."),
    Reason.EAGER: (
        "Operations of this type ran eagerly, outside of the graph; their events have no node names.",
        "Wrap the code in tf.function to get times by node, or look at the type in the operations table.",
    ),
    Reason.TRACER_LEVEL: (
        "The tracer level was too low: the program ran, but the profile has no events for its operations.",
        "Set host_tracer_level to 2 or 3 in the profiler options and profile again.",
    ),
    Reason.REUSES_MEMORY: ("Its output needs no new memory: it is a constant, a variable, or its input.", "Nothing."),
    Reason.NO_OUTPUT: ("It has no output tensor.", "Nothing."),
    Reason.ALLOCATES_NOTHING: ("No allocation was recorded while it ran.", "Nothing."),
    Reason.MEMORY_NOT_RECORDED: (
        "The profile records no memory.",
        "Record memory as well: profile_memory=True in torch, FULL_TRACE in TF1.",
    ),
    Reason.PYTHON_FUNCTION: ("It calls Python, whose memory the framework does not see.", "Use tracemalloc, or TensorFlow operations."),
    Reason.COMMUNICATION: (
        "It is communication between ranks, which belongs to no operation of the graph; its buffers belong to the library.",
        "See Communication for its time on every rank.",
    ),
    Reason.ASYNCHRONOUS: (
        "It only starts or ends asynchronous work; the time is recorded for the other end.",
        "Look at the operation that has the time.",
    ),
    Reason.EXTERNAL: (
        "An external library does its work, which the framework does not record.",
        "Use the library's own profiler, or a system profiler such as Nsight Systems or perf.",
    ),
    Reason.CUDA_GRAPH: (
        "It runs inside a CUDA graph, which is launched as a whole: the profile cannot name the operation of each kernel.",
        "Profile once with CUDA graphs disabled, such as mode='default' of torch.compile.",
    ),
    Reason.CANNOT_TELL: (
        "The profile does not record the graph that was executed.",
        "Run with RunOptions(trace_level=FULL_TRACE, output_partition_graphs=True) and trace again.",
    ),
}
"""What each means, and what to do."""
