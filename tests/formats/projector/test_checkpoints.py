"""TensorFlow checkpoints: found by what the folder notes, read by their table, damaged ones refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from formats.projector.checkpoint_bytes import bytes_field, entry, header, index, number_field, write
from formats.projector.projector_files import listed, read
from stepscope.formats.projector.checkpoint_files import find_checkpoints, saved_steps
from stepscope.formats.projector.checkpoint_table import read_variables, slice_key
from stepscope.model.embedding import EmbeddingState
from stepscope.model.errors import BadInput, NotThere, Refused, StepscopeError

VALUES = np.arange(12, dtype=np.float32).reshape(4, 3)
GOOD = index([header(), (b"w", entry(VALUES))])


def extents(*dims: tuple[int, int] | None) -> bytes:
    """The field of an entry that names a piece: start and length in each dimension, or all of it."""
    return bytes_field(
        7, b"".join(bytes_field(1, b"" if one is None else number_field(1, one[0]) + number_field(2, one[1])) for one in dims)
    )


ROWS = (extents((0, 1), None), extents((1, 3), None))


def test_a_variable_in_pieces(tmp_path: Path) -> None:
    whole = entry(np.empty(0, np.float32), shape=(4, 3), more=ROWS[0] + ROWS[1])
    first, second = VALUES[:1], VALUES[1:]
    keys = [slice_key("w", ((0, 1), (0, -1))), slice_key("w", ((1, 3), (0, -1)))]
    table = index([header(), (keys[0], entry(first)), (keys[1], entry(second, offset=first.nbytes)), (b"w", whole)])
    prefix = write(tmp_path, "m", table, VALUES.tobytes())
    assert list(read_variables(prefix)) == ["w"], "pieces are no variables"
    assert read(state(prefix))[0].values.tolist() == VALUES.tolist()
    lacking = index([header(), (keys[0], entry(first)), (b"w", whole)])
    with pytest.raises(BadInput) as refused:
        read(state(write(tmp_path, "m", lacking, VALUES.tobytes())))
    assert refused.value.code == "not_a_checkpoint"


def test_numbers_in_keys_sort_as_numbers_do() -> None:
    numbers = [-(1 << 40), -70_000, -8193, -65, -64, -1, 0, 1, 63, 64, 8191, 8192, 70_000, 1 << 20, 1 << 40]
    keys = [slice_key("w", ((number, -1),)) for number in numbers]
    assert keys == sorted(keys)
    assert slice_key("w", ((0, -1),)) == b"\0w\0\x01\x01\x01\x80\x7f"


def state(prefix: str) -> EmbeddingState:
    return EmbeddingState(1, prefix, "w", (4, 3))


def test_a_variable(tmp_path: Path) -> None:
    prefix = write(tmp_path, "model-1", GOOD, VALUES.tobytes())
    found = read_variables(prefix)["w"]
    assert (found.shape, found.dtype, found.size) == ((4, 3), "<f4", 48)
    assert read(state(prefix))[0].values.tolist() == VALUES.tolist()


@pytest.mark.parametrize(
    "table",
    [
        b"",
        b"not a table at all, but longer than a footer is: " * 4,
        GOOD[:-1],
        GOOD[1:],
        index([header(endianness=1)]),
        index([header(), (b"w", entry(VALUES))], kind=1),
        index([header(), (b"w", b"\xff\xff")]),
    ],
)
def test_what_is_no_checkpoint_says_so(tmp_path: Path, table: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        read_variables(write(tmp_path, "m", table, b""))
    assert caught.value.code == "not_a_checkpoint"


def test_every_cut_and_many_changes_are_refused_or_read(tmp_path: Path) -> None:
    for end in range(0, len(GOOD), 3):
        with pytest.raises(BadInput):
            read_variables(write(tmp_path, "m", GOOD[:end], b""))
    random = np.random.default_rng(5)
    for place, value in zip(random.integers(0, len(GOOD), 300).tolist(), random.integers(0, 256, 300).tolist(), strict=True):
        table = bytearray(GOOD)
        table[place] = value
        try:
            read(state(write(tmp_path, "m", bytes(table), VALUES.tobytes())))
        except StepscopeError:
            continue


@pytest.mark.parametrize(
    "given",
    [
        entry(VALUES, shape=(4, 4)),
        entry(VALUES, shape=(1 << 40, 1 << 40)),
        entry(VALUES, shape=(12,)),
        entry(VALUES, offset=1 << 50),
        entry(VALUES, dtype=7),
        entry(VALUES, more=b"\x3a\x00"),
        entry(VALUES, more=ROWS[0] + ROWS[0]),
        entry(VALUES, more=ROWS[0] + extents((3, 2), None)),
        entry(VALUES + 1),
    ],
)
def test_variables_that_make_no_sense_or_have_a_wrong_checksum(tmp_path: Path, given: bytes) -> None:
    prefix = write(tmp_path, "m", index([header(), (b"w", given)]), VALUES.tobytes())
    with pytest.raises(BadInput):
        read(state(prefix))


def test_names_that_share_beginnings_cannot_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.formats.projector.checkpoint_table.MOST_NAMES", 100)
    with pytest.raises(BadInput, match="names"):
        read_variables(write(tmp_path, "m", index([header(), (b"x" * 101, entry(VALUES))]), b""))


def test_shards_that_are_gone(tmp_path: Path) -> None:
    prefix = write(tmp_path, "m", GOOD, b"")
    Path(f"{prefix}.data-00000-of-00001").unlink()
    with pytest.raises(NotThere):
        read(state(prefix))
    with pytest.raises(NotThere):
        read_variables(str(tmp_path / "gone"))


def test_the_newest_checkpoint_and_its_sisters(tmp_path: Path) -> None:
    for name in ("model-2", "model-10", "other-3"):
        write(tmp_path, name, GOOD, VALUES.tobytes())
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model-10"\nall_model_checkpoint_paths: "model-2"\n')
    prefix = find_checkpoints(str(tmp_path), "", "")
    assert prefix is not None
    assert prefix == str(tmp_path / "model-10")
    assert saved_steps(prefix) == [(2, str(tmp_path / "model-2")), (10, str(tmp_path / "model-10"))]
    assert find_checkpoints(str(tmp_path), "other-3", "") == str(tmp_path / "other-3")


def test_a_folder_that_was_moved_and_one_without_a_checkpoint(tmp_path: Path) -> None:
    assert find_checkpoints(str(tmp_path), "", "") is None
    write(tmp_path, "m", GOOD, b"")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "/elsewhere/m"')
    assert find_checkpoints(str(tmp_path), "", "") == str(tmp_path / "m")
    assert saved_steps(str(tmp_path / "m")) == [(None, str(tmp_path / "m"))]
    (tmp_path / "checkpoint").write_text("a photo, say")
    assert find_checkpoints(str(tmp_path), "", "") is None


def test_a_path_that_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"x")
    for path in ("weights.bin", "gone"):
        with pytest.raises(BadInput) as caught:
            find_checkpoints(str(tmp_path), path, "")
        assert caught.value.code == "not_a_checkpoint"
    with pytest.raises(Refused):
        find_checkpoints(str(tmp_path), "/etc/passwd", "")


def test_a_broken_checkpoint_does_not_hide_files(tmp_path: Path) -> None:
    write(tmp_path, "m", GOOD[:-4], b"")
    text = 'model_checkpoint_path: "m" embeddings { tensor_path: "t.tsv" } embeddings { tensor_name: "w" }'
    found = listed(tmp_path, text, t__tsv=b"1\t2\n")
    assert ["not the index" in problem for problem in found.problems] == [True]
    assert [bool(embedding.states[0].problem) for embedding in found.embeddings] == [False, True]


def test_a_variable_that_the_checkpoint_does_not_have(tmp_path: Path) -> None:
    write(tmp_path, "m", GOOD, VALUES.tobytes())
    found = listed(tmp_path, 'model_checkpoint_path: "m" embeddings { tensor_name: "v" }')
    assert {one.name: bool(one.states[0].problem) for one in found.embeddings} == {"v": True, "w": False}
