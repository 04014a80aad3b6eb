"""Embeddings that were uploaded from the page: taken in parts, kept in memory until others follow, never in the log folder."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
import threading
from collections import OrderedDict

from stepscope.embeddings.opened import Opened, read_opened
from stepscope.formats.all_formats import RUN_FILE_FORMATS
from stepscope.model.embedding import Bounds, EmbeddingState
from stepscope.model.errors import NotThere, TooMuch

MOST_BYTES = 512 << 20
"""Of all uploads that are under way."""
KEPT = 4


class Uploads:
    """The last uploads by name. Safe from any thread."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._guard = threading.Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self._parts: OrderedDict[str, list[bytes]] = OrderedDict()

    def find(self, name: str) -> Opened:
        """What was uploaded. Raises NotThere."""
        with self._guard:
            found = self._opened.get(name)
        if found is None:
            raise NotThere("This upload is no longer on the server; upload the file again.", "unknown_embedding")
        return found

    def take(self, name: str, part: bytes, last: bool, metadata: bytes) -> str:
        """Takes a part of a file and returns the name of the upload, which is given with further parts; the last one opens it.

        Raises BadInput, NotThere or TooMuch.
        """
        with self._guard:
            if name and name not in self._parts:
                raise NotThere("The upload was given up; start it again.", "unknown_upload")
            name = name or secrets.token_hex(8)
            self._parts.setdefault(name, []).append(part)
            while len(self._parts) > KEPT:
                self._parts.popitem(last=False)
            if sum(len(piece) for parts in self._parts.values() for piece in parts) > MOST_BYTES:
                del self._parts[name]
                raise TooMuch(f"An upload can be at most {MOST_BYTES >> 20} MiB; log the embedding into the folder.", "too_large")
            if not last:
                return name
            whole = b"".join(self._parts.pop(name))
        opened = self._read(whole, metadata)
        with self._guard:
            self._opened[name] = opened
            while len(self._opened) > KEPT:
                self._opened.popitem(last=False)
        return name

    def _read(self, whole: bytes, metadata: bytes) -> Opened:
        """Reads it as files of a folder of their own are read; nothing stays on the disk."""
        files = next(known.embeddings for known in RUN_FILE_FORMATS if known.embeddings is not None)
        with tempfile.TemporaryDirectory(prefix="stepscope-") as folder:
            vectors, labels = os.path.join(folder, "upload"), os.path.join(folder, "metadata.tsv")
            for path, content in ((vectors, whole), (labels, metadata)):
                with open(path, "wb") as file:
                    file.write(content)
            state = EmbeddingState(None, vectors, metadata=labels if metadata else "")
            return read_opened(files, state, self._bounds, hashlib.blake2b(whole + b"\0" + metadata, digest_size=16).hexdigest())
