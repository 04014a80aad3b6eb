"""Tables in memory that another process maps, and packages that may be missing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from stepscope.model.errors import NeedsExtra
from stepscope.sql import packages
from stepscope.sql.shared_table import SharedTable

READ = "import sys, pyarrow as pa; print(pa.ipc.open_stream(pa.memory_map(sys.argv[1])).read_all().to_pydict())"


def shared() -> SharedTable:
    return SharedTable(pa.table({"x": [1, 2], "word": pa.array(["a", "b"]).dictionary_encode()}))


@pytest.mark.slow
def test_another_process_reads_the_table() -> None:
    table = shared()
    said = subprocess.run([sys.executable, "-c", READ, table.path], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "{'x': [1, 2], 'word': ['a', 'b']}"


def test_it_goes_with_its_object() -> None:
    table = shared()
    path = table.path
    assert table.size == os.stat(path).st_size > 0
    del table
    gc.collect()
    assert not os.path.exists(path)


def test_without_shared_memory_it_is_a_file_that_goes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create")
    table = shared()
    path = table.path
    assert os.path.isfile(path)
    assert pa.ipc.open_stream(pa.memory_map(path)).read_all().num_rows == 2
    del table
    gc.collect()
    assert not os.path.exists(path)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(packages.importlib, "import_module", gone)
    for needed in (packages.duckdb, packages.pyarrow):
        with pytest.raises(NeedsExtra) as missing:
            needed()
        assert "stepscope[sql]" in missing.value.message
