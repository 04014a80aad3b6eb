"""Names, and shapes and types of inputs, of operations that a program marks itself; no device is waited for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import index
from typing import cast

_TORCH_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "bool",
}
_NOT_IN_NAMES = re.compile(r"[^\w./>-]")
_WORD = re.compile(r"[A-Za-z0-9]+")


def traced_operation(name: str, inputs: Sequence[object]) -> tuple[str, dict[str, str]]:
    """Name and attributes of the event by which readers of an XSpace know an operation: as TensorFlow's own, scope/my_op:MyOp."""
    kind = "".join(word[:1].upper() + word[1:] for word in _WORD.findall(name.rpartition("/")[2]))
    shapes = ";".join(shape for shape, _ in map(shape_and_type, inputs))
    kind = kind if kind[:1].isalpha() else f"Op{kind}"
    return f"{_NOT_IN_NAMES.sub('_', name)}:{kind}", {"shape": shapes} if shapes else {}


def shape_and_type(value: object) -> tuple[str, str]:
    """The shape as JSON, such as [32,3], and the type by PyTorch's name; what is no array has an empty shape."""
    try:
        sizes = [index(cast("int", size)) for size in cast("Iterable[object]", getattr(value, "shape", ()))]
    except TypeError:  # A dimension that is not known, as in a graph of TensorFlow's.
        sizes = []
    dtype = getattr(value, "dtype", type(value).__name__)
    kind = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    return f"[{','.join(map(str, sizes))}]", _TORCH_NAMES.get(kind, kind)
