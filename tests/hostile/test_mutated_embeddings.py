"""Files of the projector with absurd numbers or damaged bytes are shown as far as they go, or refused with a sentence."""

from __future__ import annotations

import io
import random
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from formats.projector.checkpoint_bytes import entry, header, index
from formats.projector.projector_files import CONFIG, FILES
from hostile.mutations import damaged
from stepscope.embeddings.opened import read_opened
from stepscope.model.embedding import Bounds
from stepscope.model.errors import StepscopeError

SHORT, LONG = 100, 2_000
"""Mutations of each file in `make test` and in `make soak`."""
VALUES = np.arange(40, dtype=np.float32).reshape(10, 4)
NUMBERS = (b"0", b"-1", b"1e999", b"nan", b"9" * 40, b"0x10", b"", b"18446744073709551615")
MOST = Bounds(rows=1_000, values=100_000)


def npy() -> bytes:
    """As NumPy saves it."""
    file = io.BytesIO()
    np.save(file, VALUES)
    return file.getvalue()


@cache
def good_files() -> dict[str, bytes]:
    """Every kind of file that an embedding may have."""
    listed = (("a", "a.tsv"), ("b", "b.npy"), ("c", "c.bytes"))
    config = 'model_checkpoint_path: "model-3"\n' + "".join(
        f'embeddings {{ tensor_name: "{name}" tensor_path: "{path}" tensor_shape: 10 tensor_shape: 4 metadata_path: "labels.tsv" '
        f'sprite {{ image_path: "s.png" single_image_dim: 2 single_image_dim: 3 }} }}\n'
        for name, path in listed
    )
    return {
        CONFIG: config.encode(),
        "a.tsv": b"\n".join(b"\t".join(str(value).encode() for value in row) for row in VALUES.tolist()),
        "b.npy": npy(),
        "c.bytes": VALUES.tobytes(),
        "s.png": b"\x89PNG\r\n\x1a\n",
        "labels.tsv": b"name\tkind\n" + b"".join(b"p%d\t%d\n" % (row, row % 3) for row in range(10)),
        "model-3.index": index([header(), (b"w", entry(VALUES))]),
        "model-3.data-00000-of-00001": VALUES.tobytes(),
    }


def mutated(name: str, seed: int) -> bytes:
    """A file with something wrong in it; the same seed gives the same file."""
    chance = random.Random(f"{name} {seed}")  # reproducible, not secret
    content = good_files()[name]
    numbers = list(re.finditer(rb"\d+", content))
    if seed % 2 and numbers:
        found = chance.choice(numbers)
        return content[: found.start()] + chance.choice(NUMBERS) + content[found.end() :]
    return damaged(content, chance)


def opened(folder: Path) -> int:
    """How many points could be opened of all that the folder lists; only an error that is a sentence may be raised on the way."""
    points = 0
    for embedding in FILES.listed(str(folder / CONFIG)).embeddings:
        for state in embedding.states:
            try:
                found = read_opened(FILES, state, MOST, "key")
            except StepscopeError:
                continue
            rows, columns = found.vectors.values.shape
            assert rows <= MOST.rows
            assert rows * columns <= MOST.values
            assert np.isfinite(found.vectors.values).all()
            assert len(found.vectors.rows) == rows <= found.vectors.total
            assert all(len(column.texts) in (0, rows) and len(column.codes) in (0, rows) for column in found.columns)
            points += rows
    return points


def open_mutations(name: str, seeds: range, folder: Path) -> int:
    """How many of them still showed points; a finding names the seed."""
    for each, content in good_files().items():
        (folder / each).write_bytes(content)
    shown = 0
    for seed in seeds:
        (folder / name).write_bytes(mutated(name, seed))
        try:
            shown += opened(folder) > 0
        except Exception as problem:
            problem.add_note(f"mutation {seed} of {name}")
            raise
    return shown


every_file = pytest.mark.parametrize("name", [name for name in good_files() if name != "s.png"])


def test_the_good_files_are_all_shown(tmp_path: Path) -> None:
    for name, content in good_files().items():
        (tmp_path / name).write_bytes(content)
    assert opened(tmp_path) == 4 * len(VALUES)


@every_file
@pytest.mark.filterwarnings("error")
def test_a_mutated_file_is_no_surprise(name: str, tmp_path: Path) -> None:
    assert open_mutations(name, range(SHORT), tmp_path) > 0


@pytest.mark.soak
@every_file
@pytest.mark.filterwarnings("error")
def test_many_mutated_files_are_no_surprise(name: str, tmp_path: Path) -> None:
    assert open_mutations(name, range(SHORT, LONG), tmp_path) > 0
