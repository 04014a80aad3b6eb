"""Takes arrays of any framework at the call, as NumPy arrays of its own, without importing the framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBER_KINDS = "biuf"
_SMALL_FLOATS = ("bfloat16", "float8_", "float6_", "float4_")
_TYPES_OF_NO_ARRAY = (str, bytes, bytearray, type(None), dict, set)


def take(values: object, what: str) -> NDArray[Any]:
    """The numbers as they are now: a copy, or the array itself where nobody can change it.

    bfloat16 and smaller floats become float32, which holds each of them exactly.
    """
    import numpy as np

    if isinstance(values, _TYPES_OF_NO_ARRAY):
        raise TypeError(f"Give {what} as an array of numbers, not as {_type_name(cast('object', values))}.")
    array = cast("NDArray[Any]", values) if isinstance(values, np.ndarray) else _foreign(values, what)
    if any(array.dtype.name.startswith(name) for name in _SMALL_FLOATS):
        return array.astype(np.float32)
    if array.dtype.kind not in _NUMBER_KINDS:
        raise TypeError(f"Give {what} as an array of numbers, not of {array.dtype.name}.")
    return array if _is_constant(array) or _is_fresh(array, cast("object", values)) else array.copy()


def _foreign(values: object, what: str) -> NDArray[Any]:
    import numpy as np

    source: Any = values
    try:
        if callable(getattr(source, "detach", None)) and callable(getattr(source, "cpu", None)):
            return _from_torch(source)
        if not hasattr(source, "__array__") and hasattr(source, "__dlpack__"):
            return np.from_dlpack(source)
        return np.asarray(source)
    except Exception as error:
        raise TypeError(f"Give {what} as an array of numbers, not as {_type_name(values)} ({error}).") from error


def _from_torch(tensor: Any) -> NDArray[Any]:  # noqa: ANN401 (torch is not imported)
    """NumPy knows neither gradients nor devices nor torch's small floats and lazy forms, so torch itself takes those away."""
    plain = tensor.detach()
    if "sparse" in str(getattr(plain, "layout", "")):
        plain = plain.to_dense()
    if getattr(plain, "is_quantized", False):
        plain = plain.dequantize()
    if any(name in str(plain.dtype) for name in _SMALL_FLOATS):
        plain = plain.float()
    host = plain.cpu()
    return host.resolve_neg().numpy() if hasattr(host, "resolve_neg") else host.numpy()


def _type_name(value: object) -> str:
    return type(value).__name__


def _is_constant(array: NDArray[Any]) -> bool:
    """Whether the array, and all that it is a view of, is read-only."""
    import numpy as np

    part: object = array
    while isinstance(part, np.ndarray):
        owner = cast("np.ndarray[Any, Any]", part)
        if owner.flags.writeable:
            return False
        part = owner.base
    return part is None


def _is_fresh(array: NDArray[Any], values: object) -> bool:
    """Whether the array was made from a list or a number just now, so that nobody else has it."""
    return array is not values and isinstance(values, list | tuple | int | float)
