"""Graphs that were uploaded from the page: taken in parts, kept in memory until others follow, never in the log folder."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from stepscope.formats.read_graphs import graphs_of
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.graphs.opened import OpenedGraphs
from stepscope.model.errors import NotThere, TooMuch

MOST_BYTES = 512 << 20
"""Of all uploads that are under way."""
KEPT = 4


class GraphUploads:
    """The last uploads by id. Safe from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._opened: OrderedDict[str, OpenedGraphs] = OrderedDict()
        self._parts: OrderedDict[str, list[bytes]] = OrderedDict()

    def find(self, upload: str) -> OpenedGraphs:
        """What was uploaded. Raises NotThere."""
        with self._guard:
            found = self._opened.get(upload)
        if found is None:
            raise NotThere("This upload is no longer on the server; upload the file again.", "unknown_graph")
        return found

    def take(self, upload: str, part: bytes, last: bool, name: str) -> str:
        """Takes a part of a file and returns the id of the upload, which is given with further parts; the last one opens it.

        Raises BadInput, NotThere or TooMuch.
        """
        with self._guard:
            if upload and upload not in self._parts:
                raise NotThere("The upload was given up; start it again.", "unknown_upload")
            upload = upload or secrets.token_hex(8)
            self._parts.setdefault(upload, []).append(part)
            while len(self._parts) > KEPT:
                self._parts.popitem(last=False)
            if sum(len(piece) for parts in self._parts.values() for piece in parts) > MOST_BYTES:
                del self._parts[upload]
                raise TooMuch(f"An upload can be at most {MOST_BYTES >> 20} MiB; put the file into the log folder.", "too_large")
            if not last:
                return upload
            whole = b"".join(self._parts.pop(upload))
        opened = OpenedGraphs(*graphs_of(StoredBytes.of(whole, name), name))
        with self._guard:
            self._opened[upload] = opened
            while len(self._opened) > KEPT:
                self._opened.popitem(last=False)
        return upload
