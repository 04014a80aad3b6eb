"""The projector's configuration: objects with TensorBoard's fields, and the text that its parser reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast, overload

from stepscope.writer.message import utf8

CONFIG_NAME = "projector_config.pbtxt"
_HIGHEST_DIMENSION = 2**32 - 1


@dataclass(slots=True)
class SpriteMetadata:
    """The picture that holds a small one for each point."""

    image_path: str = ""
    single_image_dim: list[int] = field(default_factory=list[int])
    """Width and height of each small picture."""


@dataclass(slots=True)
class EmbeddingInfo:
    """One embedding. Paths are relative to the configuration's folder."""

    tensor_name: str = ""
    metadata_path: str = ""
    bookmarks_path: str = ""
    tensor_shape: list[int] = field(default_factory=list[int])
    sprite: SpriteMetadata = field(default_factory=SpriteMetadata)
    tensor_path: str = ""


class Embeddings:
    """The embeddings of a configuration, with the methods of a protobuf list."""

    def __init__(self) -> None:
        """None yet."""
        self._entries: list[EmbeddingInfo] = []

    def add(self, **fields: Any) -> EmbeddingInfo:  # noqa: ANN401 (those of EmbeddingInfo)
        """A new embedding at the end, to be filled in."""
        entry = EmbeddingInfo(**fields)
        self._entries.append(entry)
        return entry

    def append(self, entry: EmbeddingInfo) -> None:
        """Puts an embedding at the end."""
        self._entries.append(entry)

    def extend(self, entries: Iterable[EmbeddingInfo]) -> None:
        """Puts several at the end."""
        self._entries.extend(entries)

    def remove(self, entry: EmbeddingInfo) -> None:
        """Takes an embedding out."""
        self._entries.remove(entry)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[EmbeddingInfo]:
        return iter(self._entries)

    @overload
    def __getitem__(self, index: int) -> EmbeddingInfo: ...
    @overload
    def __getitem__(self, index: slice) -> list[EmbeddingInfo]: ...
    def __getitem__(self, index: int | slice) -> EmbeddingInfo | list[EmbeddingInfo]:
        return self._entries[index]

    def __delitem__(self, index: int | slice) -> None:
        del self._entries[index]

    def __repr__(self) -> str:
        return repr(self._entries)


@dataclass(slots=True)
class ProjectorConfig:
    """All embeddings of one folder, and the checkpoint that holds those without a file."""

    model_checkpoint_path: str = ""
    embeddings: Embeddings = field(default_factory=Embeddings)
    model_checkpoint_dir: str = ""


def config_text(config: object) -> str:
    """The configuration in protobuf's text format; TensorBoard's own ProjectorConfig is taken, too."""
    source = cast("Any", config)
    if not all(hasattr(source, name) for name in ("model_checkpoint_path", "embeddings", "model_checkpoint_dir")):
        raise TypeError(f"Give config as a ProjectorConfig, not as {type(config).__name__}.")
    before, after = _texts(source, "model_checkpoint_path"), _texts(source, "model_checkpoint_dir")
    return _joined(before) + "".join(embedding_text(entry) for entry in source.embeddings) + _joined(after)


def embedding_text(entry: Any) -> str:  # noqa: ANN401 (ours or TensorBoard's)
    """One embedding of it."""
    inside = [line for name in ("tensor_name", "metadata_path", "bookmarks_path") for line in _texts(entry, name)]
    inside += _numbers(entry, "tensor_shape")
    sprite = _texts(entry.sprite, "image_path") + _numbers(entry.sprite, "single_image_dim")
    if sprite:
        inside += ["sprite {", *(f"  {line}" for line in sprite), "}"]
    inside += _texts(entry, "tensor_path")
    return _joined(["embeddings {", *(f"  {line}" for line in inside), "}"])


def with_embedding(text: str, entry: EmbeddingInfo) -> str:
    """A configuration that somebody has written, with this embedding in place of the one of its name or at the end.

    What does not look as both programs write it is kept as it is.
    """
    added, same_name = embedding_text(entry), f"  tensor_name: {_quoted(entry.tensor_name)}\n"
    lines = text.splitlines(keepends=True)
    begin = 0
    while "embeddings {\n" in lines[begin:]:
        begin = lines.index("embeddings {\n", begin)
        if "}\n" not in lines[begin:]:
            break
        end = lines.index("}\n", begin) + 1
        if same_name in lines[begin:end]:
            return "".join([*lines[:begin], added, *lines[end:]])
        begin = end
    return text + ("" if not text or text.endswith("\n") else "\n") + added


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _texts(source: Any, name: str) -> list[str]:  # noqa: ANN401 (ours or TensorBoard's)
    value = getattr(source, name)
    if not isinstance(value, str):
        raise TypeError(f"Give {name} as a string, not as {type(value).__name__}.")
    return [f"{name}: {_quoted(value)}"] if value else []


def _numbers(source: Any, name: str) -> list[str]:  # noqa: ANN401 (ours or TensorBoard's)
    numbers: list[str] = []
    for value in getattr(source, name):
        number = int(value)
        if number != value or not 0 <= number <= _HIGHEST_DIMENSION:
            raise ValueError(f"Give {name} as whole numbers from 0 to {_HIGHEST_DIMENSION}, not {value!r}.")
        numbers.append(f"{name}: {number}")
    return numbers


def _quoted(text: str) -> str:
    """As protobuf's text format has it: what is not plain ASCII as octal bytes."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in utf8(text))
    return '"' + "".join(plain) + '"'
