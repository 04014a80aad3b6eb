"""One-element tensors of every numeric type, as content and as typed list, decode to the exact number (`tensor_scalar`)."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import event_bytes as eb
from event_reading import all_scalars, scanned
from stepscope._native import NamePool

HERE = Path(__file__).parent


def read_tensors(path: Path, tensors: list[bytes]) -> list[float | None]:
    """The value of each tensor, or None where it is no scalar; each is written under its number as tag."""
    records = [eb.record(eb.event(0, 1.0, eb.summary(eb.value(b"%d" % i, eb.message(8, body))))) for i, body in enumerate(tensors)]
    names = NamePool()
    file = scanned(eb.write(path, *records), names)
    assert (file.records, file.skipped) == (len(tensors), 0)
    found = {int(tag): points[0][2] for tag, points in all_scalars(file, names).items()}
    return [found.get(i) for i in range(len(tensors))]


def same(found: list[float | None], wanted: list[float]) -> bool:
    """Equal to the bit, any NaN equal to any other."""
    return [None if v is None else "nan" if math.isnan(v) else v.hex() for v in found] == [
        "nan" if math.isnan(v) else float(v).hex() for v in wanted
    ]


CONTENT: list[tuple[int, str, list[float]]] = [
    (eb.FLOAT, "f", [0.0, -0.0, 1.5, 0.1, 3.4028234663852886e38, 1e-45, math.inf, -math.inf, math.nan]),
    (eb.DOUBLE, "d", [0.1, -1 / 3, 5e-324, 1.7976931348623157e308, math.inf, math.nan]),
    (eb.INT32, "i", [0, -1, 2**31 - 1, -(2**31)]),
    (eb.UINT32, "I", [0, 2**32 - 1]),
    (eb.INT64, "q", [0, -1, 2**53, -(2**63), 2**63 - 1]),
    (eb.UINT64, "Q", [0, 2**64 - 1]),
    (eb.INT16, "h", [-(2**15), 2**15 - 1]),
    (eb.UINT16, "H", [0, 2**16 - 1]),
    (eb.INT8, "b", [-128, 127]),
    (eb.UINT8, "B", [0, 255]),
    (eb.BOOL, "?", [False, True]),
]


@pytest.mark.parametrize(("dtype", "code", "numbers"), CONTENT)
def test_content(tmp_path: Path, dtype: int, code: str, numbers: list[Any]) -> None:
    packed = [struct.pack(f"<{code}", number) for number in numbers]
    wanted = [float(struct.unpack(f"<{code}", data)[0]) for data in packed]
    assert same(read_tensors(tmp_path / "tfevents", [eb.tensor(dtype, eb.content(data)) for data in packed]), wanted)


LISTS: list[tuple[int, int, str, list[int | float]]] = [
    (eb.FLOAT, 5, "f", [0.1, -2.5, math.inf]),
    (eb.DOUBLE, 6, "d", [0.1, -1 / 3, 1e300]),
    (eb.INT32, 7, "v", [-5, 2**31 - 1]),
    (eb.INT16, 7, "v", [-5, 300]),
    (eb.INT8, 7, "v", [-128]),
    (eb.UINT8, 7, "v", [255]),
    (eb.UINT16, 7, "v", [65535]),
    (eb.INT64, 10, "v", [-1, 2**62]),
    (eb.BOOL, 11, "v", [1, 0]),
    (eb.UINT32, 16, "v", [2**32 - 1]),
    (eb.UINT64, 17, "v", [2**64 - 1]),
]


@pytest.mark.parametrize(("dtype", "field", "code", "numbers"), LISTS)
def test_typed_list_packed_and_not(tmp_path: Path, dtype: int, field: int, code: str, numbers: list[Any]) -> None:
    def packed(number: Any) -> bytes:
        return eb.varint(number) if code == "v" else struct.pack(f"<{code}", number)

    def plain(number: Any) -> bytes:
        return {"v": eb.integer, "f": eb.single, "d": eb.double}[code](field, number)

    wanted = [float(number) if code != "f" else float(np.float32(number)) for number in numbers]
    lists = [eb.tensor(dtype, eb.message(field, packed(number))) for number in numbers]
    assert same(read_tensors(tmp_path / "packed.tfevents", lists), wanted)
    lists = [eb.tensor(dtype, plain(number)) for number in numbers]
    assert same(read_tensors(tmp_path / "plain.tfevents", lists), wanted)


def test_half_every_pattern_against_numpy(tmp_path: Path) -> None:
    bits = np.arange(0, 65536, 7, dtype=np.uint16)
    wanted = bits.view(np.float16).astype(np.float64).tolist()
    content = [eb.tensor(eb.HALF, eb.content(struct.pack("<H", b))) for b in bits.tolist()]
    assert same(read_tensors(tmp_path / "content.tfevents", content), wanted)
    lists = [eb.tensor(eb.HALF, eb.message(13, eb.varint(b))) for b in bits.tolist()]
    assert same(read_tensors(tmp_path / "list.tfevents", lists), wanted)


def test_bfloat16_is_the_upper_half_of_a_float(tmp_path: Path) -> None:
    bits = np.arange(0, 65536, 11, dtype=np.uint32)
    wanted = [float(v) for v in (bits << 16).view(np.float32)]
    tensors = [eb.tensor(eb.BFLOAT16, eb.content(struct.pack("<H", b))) for b in bits.tolist()]
    assert same(read_tensors(tmp_path / "tfevents", tensors), wanted)


def small_float(bits: int, exponent_bits: int, bias: int, special: str) -> float:
    """An 8-bit float worked out from its definition: `special` says which patterns are no numbers."""
    mantissa_bits = 7 - exponent_bits
    exponent, mantissa = bits >> mantissa_bits & (1 << exponent_bits) - 1, bits & (1 << mantissa_bits) - 1
    sign = -1.0 if bits & 0x80 else 1.0
    if special == "ieee" and exponent == (1 << exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    if (special == "fn" and bits & 0x7F == 0x7F) or (special == "uz" and bits == 0x80):
        return math.nan
    fraction = mantissa / (1 << mantissa_bits)
    return sign * (fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias))


FLOAT8 = {
    "float8_e5m2": (eb.FLOAT8_E5M2, 5, 15, "ieee"),
    "float8_e4m3fn": (eb.FLOAT8_E4M3FN, 4, 7, "fn"),
    "float8_e4m3fnuz": (eb.FLOAT8_E4M3FNUZ, 4, 8, "uz"),
    "float8_e4m3b11fnuz": (eb.FLOAT8_E4M3B11FNUZ, 4, 11, "uz"),
    "float8_e5m2fnuz": (eb.FLOAT8_E5M2FNUZ, 5, 16, "uz"),
}


def float8_tensors(dtype: int) -> Iterator[bytes]:
    """Every pattern as content, then as list."""
    yield from (eb.tensor(dtype, eb.content(bytes([bits]))) for bits in range(256))
    yield from (eb.tensor(dtype, eb.message(18, bytes([bits]))) for bits in range(256))


@pytest.mark.parametrize("name", FLOAT8)
def test_float8_every_pattern(tmp_path: Path, name: str) -> None:
    dtype, exponent_bits, bias, special = FLOAT8[name]
    wanted = [small_float(bits, exponent_bits, bias, special) for bits in range(256)] * 2
    assert same(read_tensors(tmp_path / "tfevents", list(float8_tensors(dtype))), wanted)


@pytest.mark.peers
def test_float8_tables_are_those_of_ml_dtypes(run_in_peers: Callable[..., Any], tmp_path: Path) -> None:
    script = tmp_path / "tables.py"
    script.write_text(
        "import json, ml_dtypes, numpy as np\n"
        "every = np.arange(256, dtype=np.uint8)\n"
        f"print(json.dumps({{n: every.view(getattr(ml_dtypes, n)).astype(float).tolist() for n in {list(FLOAT8)!r}}}))\n"
    )
    real = run_in_peers(script)
    for name, (_, exponent_bits, bias, special) in FLOAT8.items():
        mine = [small_float(bits, exponent_bits, bias, special) for bits in range(256)]
        assert json.dumps(mine) == json.dumps(real[name]), name


def test_int4(tmp_path: Path) -> None:
    tensors = [eb.tensor(eb.INT4, eb.content(bytes([bits]))) for bits in range(16)]
    tensors += [eb.tensor(eb.UINT4, eb.content(bytes([bits]))) for bits in range(16)]
    wanted = [float(bits - 16 if bits > 7 else bits) for bits in range(16)] + [float(bits) for bits in range(16)]
    assert same(read_tensors(tmp_path / "tfevents", tensors), wanted)


def test_an_empty_list_stands_for_zero(tmp_path: Path) -> None:
    types = [eb.FLOAT, eb.DOUBLE, eb.INT32, eb.INT64, eb.BOOL, eb.HALF, eb.UINT64, eb.FLOAT8_E5M2]
    assert same(read_tensors(tmp_path / "tfevents", [eb.tensor(dtype) for dtype in types]), [0.0] * len(types))


def test_shapes_of_one_element_are_scalars_and_no_others(tmp_path: Path) -> None:
    five = eb.content(struct.pack("<f", 5))
    tensors = [eb.tensor(eb.FLOAT, five, shape=shape) for shape in (None, (), (1,), (1, 1))]
    assert same(read_tensors(tmp_path / "one.tfevents", tensors), [5.0] * 4)
    many = [eb.tensor(eb.FLOAT, eb.single(5, 5.0), shape=shape) for shape in ((0,), (2,), (1, 3), (-1,))]
    many += [eb.integer(1, eb.FLOAT) + eb.message(2, eb.integer(3, 1)) + five]  # unknown rank
    many += [eb.tensor(eb.STRING, eb.message(8, b"5")), eb.tensor(eb.COMPLEX64, eb.content(bytes(8)))]
    many += [eb.tensor(eb.FLOAT, eb.content(bytes(8))), eb.tensor(eb.FLOAT, eb.content(bytes(3)))]  # the wrong size
    assert read_tensors(tmp_path / "many.tfevents", many) == [None] * len(many)


def test_content_wins_over_the_list(tmp_path: Path) -> None:
    both = eb.tensor(eb.FLOAT, eb.single(5, 1.0), eb.content(struct.pack("<f", 2)))
    assert read_tensors(tmp_path / "tfevents", [both]) == [2.0]
