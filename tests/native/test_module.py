"""The native module has what its stub declares, and what the system refuses arrives as Python's own errors."""

from __future__ import annotations

import ast
import errno
from pathlib import Path

import pytest

import event_bytes as eb
from stepscope import _native

STUB = Path(_native.__file__).with_name("_native.pyi")


def declared() -> dict[str, set[str]]:
    """Names of the stub: functions and constants with nothing below them, classes with their methods."""
    found: dict[str, set[str]] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and hasattr(_native, node.target.id):
            found[node.target.id] = set()
        elif isinstance(node, ast.ClassDef) and hasattr(_native, node.name):
            found[node.name] = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


def test_everything_public_is_declared_with_its_methods() -> None:
    stub = declared()
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == set(stub)
    missing = {
        f"{name}.{method}" for name, methods in stub.items() for method in methods if not hasattr(getattr(_native, name), method)
    }
    assert missing == set()


@pytest.mark.parametrize("data", [b"", b"123456789", bytes(range(256)) * 5])
def test_checksums_are_those_of_the_definition(data: bytes) -> None:
    assert _native.crc32c(data) == _native.crc32c_table(data) == eb.crc32c(data)
    assert _native.masked_crc32c(data).to_bytes(4, "little") == eb.masked(data)


def test_a_missing_file_is_an_error_with_its_number(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        _native.EventFile(str(tmp_path / "none"), _native.NamePool()).scan()
    assert error.value.errno == errno.ENOENT


def test_field_numbers_are_positive_and_of_one_message_each_its_own() -> None:
    for message, numbers in _native.WIRE.items():
        assert len(set(numbers.values())) == len(numbers), message
        assert min(numbers.values()) > 0
