"""What operations of the frameworks are, where it matters to graphs: constants, results, conversions, and those with effects."""

from __future__ import annotations

CONSTANTS = frozenset({"Const", "HostConst", "Constant", "constant", "prim::Constant", "onnx::Constant", "Initializer"})
RESULTS = frozenset({"_Retval", "_DeviceRetval", "Output", "Retval"})
FED = frozenset({"Placeholder", "PlaceholderWithDefault", "_Arg", "_DeviceArg", "Input", "InputLayer", "parameter"})
CASTS = frozenset({"Cast", "convert", "aten::to", "aten::type_as", "_HostCast"})
TRANSPOSES = frozenset({"Transpose", "transpose", "aten::transpose", "aten::permute", "aten::t", "ConjugateTranspose"})
COPIES = frozenset({"copy", "aten::clone", "aten::contiguous", "DeepCopy", "Snapshot", "Copy", "CopyHost"})

_EFFECTS = (
    "Assign", "Variable", "VarHandle", "ReadVariable", "Resource", "Apply", "Scatter", "Queue", "Iterator", "Random", "Multinomial",
    "TruncatedNormal", "ParameterizedTruncatedNormal", "StandardNormal", "StandardGamma", "Stateful", "Summary", "Save", "Restore",
    "Print", "Assert", "NoOp", "PyFunc",
    "EagerPyFunc", "HashTable", "Lookup", "TensorArray", "Stack", "Barrier", "Collective", "Nccl", "_Send", "_Recv", "_Host",
    "Enter", "Exit",
    "Merge", "Switch", "NextIteration", "LoopCond", "While", "If", "Case", "PartitionedCall", "Placeholder", "_Arg", "_Retval", "Write",
    "Record", "Dropout", "custom-call", "infeed", "outfeed", "send", "recv", "all-", "rng", "while", "conditional", "call", "parameter",
    "Input", "Output", "IO Node", "Loop", "Scan", "aten::dropout", "aten::rand", "aten::bernoulli", "aten::copy_", "prim::GetAttr",
    "aten::_assert", "aten::sym_constrain",
    "prim::Param", "CallMethod", "Batch", "Unbatch", "Map", "Generator", "Dataset", "Optional", "Anonymous", "Make", "Delete", "Handle",
)  # fmt: skip
"""How operations begin that have an effect, a state, an own random number, or values from outside: none may be left out or merged."""


_EFFECTS_INSIDE = (
    "Dataset", "Queue", "Iterator", "Reader", "Mutable", "Table", "Sampler", "Summary", "Handle", "Mutex", "Accumulator",
    "StatsAggregator", "Xla", "Rng", "Sleep", "Stage", "Debug", "Session", "Variable", "Save", "TensorsMap",
)  # fmt: skip
"""What names of such operations have anywhere in them."""
_EFFECTS_WHOLE = frozenset(
    {
        "CheckNumerics", "CheckNumericsV2", "DestroyResourceOp", "DeviceIndex", "DevicePlacementOp", "DisableCopyOnRead", "Empty",
        "DtypeWithDefaultOp", "DummyMemoryCache", "DummySeedGenerator", "DumpTensor", "FileSystemSetConfiguration", "GraphDefVersion",
        "GuaranteeConst", "ImportEvent", "IsResourceHandleRefCounting", "IsTensorFloat32Enabled", "LoadAndRemapMatrix", "DeepCopy",
        "NegTrain", "NonDeterministicInts", "DummyIterationCounter", "Recv", "RemoteCall", "RpcCall", "RpcCheckStatus", "RpcClient",
        "RpcGetValue", "RpcServer", "RpcServerRegister", "RpcServerStart", "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2",
        "Send", "Skipgram", "StatelessRandomGetAlg", "SyncDevice", "TestAttr", "Timestamp", "Unstage", "VarIsInitializedOp",
        "_DeviceArg", "_DeviceRetval", "_If", "_While", "_ParallelConcatStart", "_VarHandlesOp", "_ScopedAllocator",
        "_ScopedAllocatorConcat",
        "_ScopedAllocatorSplit", "OrderedMapClear", "OrderedMapIncompleteSize", "OrderedMapPeek", "OrderedMapSize", "OrderedMapUnstage",
        "OrderedMapUnstageNoKey",
    }
)  # fmt: skip
"""The others that TensorFlow's registry calls stateful."""


_PURE_LIBRARIES = ("aten::", "prim::", "prims::", "onnx::")
"""Libraries of torch whose operators with effects are known here; operators of users may do anything."""


def has_effects(op: str) -> bool:
    """Whether leaving it out, or doing it once instead of twice, may change what a program does."""
    if op.endswith("_") and op.startswith("aten::"):  # torch's operations in place
        return True
    if "::" in op and not op.startswith(_PURE_LIBRARIES):
        return True
    return not op or op.startswith(_EFFECTS) or op in _EFFECTS_WHOLE or any(word in op for word in _EFFECTS_INSIDE)
