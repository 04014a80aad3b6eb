"""The trash of a log folder: run folders are moved there, restored, and deleted for good; the one place that changes a log folder.

    logs/mnist/lr0.1                            the folder of a run
    logs.stepscope-trash/ID/folder              the same folder in the trash
    logs.stepscope-trash/ID/record.json         where it was, when it was moved and by whom

A move is one rename on the same disk, so it is done or not done, and nothing is copied. The record is written first: what a crash
leaves behind is a record without a folder, which is not listed. Every name is reached from the log folder down by open folders
that are no links, so neither a link nor a change of the path meanwhile leads out of it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from stepscope.model.errors import NotThere, Refused
from stepscope.model.identity import project_id
from stepscope.model.trash_names import TRASH_ENDING
from stepscope.sources.source import reason_of

PLACE_VARIABLE = "STEPSCOPE_TRASH_DIR"
"""Names another folder for the trash, for log folders whose parent cannot be used."""
MAX_LISTED = 10_000
"""Most folders that are listed, newest first."""
MAX_RECORD = 1 << 20
"""Bytes of a record; a longer one is not ours."""
MAX_NAMED = 1_000
"""Runs in a folder that its record names."""

_FOLDER, _RECORD = "folder", "record.json"
_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{12}")
_BY_HANDLE = os.rename in os.supports_dir_fd and os.stat in os.supports_follow_symlinks
"""Whether names can be reached from open folders; on Windows they are reached by path, after each folder was checked."""


@dataclass(frozen=True, slots=True)
class Trashed:
    """A folder in the trash."""

    id: str
    name: str
    """Its path below the log folder; empty when its record is damaged."""
    moved: float
    """When it was moved, in seconds since 1970."""
    by: str
    """Id of the user who moved it."""
    files: int
    bytes: int
    runs: tuple[str, ...] = ()
    """Names of the runs in it."""


class Trash:
    """The trash of one log folder. Safe from any thread and process: the file system orders what happens at once."""

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def place(self) -> str:
        """Where the trash is."""
        real = os.path.realpath(self._root)
        if chosen := os.environ.get(PLACE_VARIABLE):
            return os.path.join(os.path.realpath(chosen), f"{os.path.basename(real)}-{project_id(real)}{TRASH_ENDING}")
        return real + TRASH_ENDING

    def check(self, folder: str) -> None:
        """Raises Refused when a folder cannot be moved, as far as that is known without trying."""
        parts = self._parts(folder)
        with _told(f"Could not move {folder}"), self._inside(parts[:-1]) as parent:
            found = os.stat(parent.of(parts[-1]), dir_fd=parent.handle, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise Refused(f"{folder} is a link; remove the link, or delete the folder it leads to, yourself.", "is_link")
        near = self.place
        while not os.path.exists(near):
            near = os.path.dirname(near)
        if os.stat(near).st_dev != found.st_dev:
            raise Refused(_other_disk(folder, self.place), "other_disk")
        for needed in {os.path.dirname(folder), near}:
            if not os.access(needed, os.W_OK | os.X_OK):
                raise Refused(
                    f"Could not move {folder}: no permission to write to {needed}. Change its permissions first.", "no_permission"
                )

    def move(self, folder: str, by: str, size: tuple[int, int], runs: Sequence[str]) -> Trashed:
        """Moves a folder below the log folder to the trash. Raises Refused; nothing is moved then."""
        self.check(folder)
        parts = self._parts(folder)
        now = time.time()
        entry = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}-{secrets.token_hex(6)}"
        trashed = Trashed(entry, "/".join(parts), now, by, *size, tuple(runs[:MAX_NAMED]))
        with _told(f"Could not move {folder}", self.place), self._own(make=True) as trash:
            os.mkdir(trash.of(entry), 0o700, dir_fd=trash.handle)
            try:
                with _opened(trash, entry) as inside, self._inside(parts[:-1]) as parent:
                    _write_record(inside, trashed)
                    os.rename(parent.of(parts[-1]), inside.of(_FOLDER), src_dir_fd=parent.handle, dst_dir_fd=inside.handle)
            except BaseException:
                self._forget(trash, entry)
                raise
        return trashed

    def listed(self) -> list[Trashed]:
        """What is in the trash, newest first. Raises Refused when it is not ours to read."""
        found: list[Trashed] = []
        with _told(f"Could not read the trash {self.place}"):
            try:
                with self._own() as trash:
                    names = sorted(
                        filter(_ID.fullmatch, os.listdir(trash.handle if trash.handle is not None else trash.path)), reverse=True
                    )
                    for name in names[:MAX_LISTED]:
                        with contextlib.suppress(FileNotFoundError), _opened(trash, name) as inside:
                            if _is_there(inside, _FOLDER):
                                found.append(_read_record(inside, name))
            except FileNotFoundError:
                return []
        return found

    def restore(self, entry: str) -> Trashed:
        """Moves a folder back to where it was. Raises NotThere or Refused; the folder stays in the trash then."""
        trashed = self._find(entry)
        parts = trashed.name.split("/")
        if not trashed.name or any(part in ("", ".", "..") or "\0" in part or os.sep in part for part in parts):
            raise Refused(f"The record of {self.place}/{entry} is damaged; move the folder in it back yourself.", "damaged_record")
        target = os.path.join(self._root, *parts)
        with _told(f"Could not restore {target}"), self._own() as trash, _opened(trash, entry) as inside:
            with self._inside(parts[:-1], make=True) as parent:
                if _is_there(parent, parts[-1]):
                    raise Refused(f"{target} exists again; rename or move it first.", "name_taken")
                os.rename(inside.of(_FOLDER), parent.of(parts[-1]), src_dir_fd=inside.handle, dst_dir_fd=parent.handle)
            self._forget(trash, entry)
        return trashed

    def delete(self, entry: str) -> Trashed:
        """Deletes a folder in the trash for good. Raises NotThere or Refused; what could not be deleted stays listed then."""
        trashed = self._find(entry)
        with _told(f"Could not delete {trashed.name or entry} completely; the rest is still in the trash"), self._own() as trash:
            with _opened(trash, entry) as inside:
                shutil.rmtree(inside.of(_FOLDER), dir_fd=inside.handle)
            self._forget(trash, entry)
        return trashed

    def _find(self, entry: str) -> Trashed:
        missing = NotThere("This folder is not in the trash any more; list the trash again.", "not_in_trash")
        if not _ID.fullmatch(entry):
            raise missing
        with _told(f"Could not read the trash {self.place}"):
            try:
                with self._own() as trash, _opened(trash, entry) as inside:
                    if _is_there(inside, _FOLDER):
                        return _read_record(inside, entry)
            except FileNotFoundError:
                pass
        raise missing

    def _parts(self, folder: str) -> list[str]:
        """The names on the way from the log folder to a folder in it. Raises Refused."""
        if "://" in self._root:
            raise Refused("Runs can be deleted only in local folders; delete this one where it is stored.", "not_local")
        relative = os.path.relpath(folder, self._root)
        parts = relative.split(os.sep)
        if relative == os.curdir:
            raise Refused(
                f"The files of this run are in the log folder {folder} itself; move them to a folder of their own first.", "is_root"
            )
        if os.pardir in parts or os.path.isabs(relative):
            raise Refused(f"{folder} is not in the log folder.", "outside")
        return parts

    @contextlib.contextmanager
    def _inside(self, parts: Sequence[str], *, make: bool = False) -> Generator[_Open]:
        """A folder below the log folder, reached without links. Raises OSError."""
        with contextlib.ExitStack() as stack:
            at = stack.enter_context(_opened(None, os.path.realpath(self._root)))
            for part in parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(at.of(part), dir_fd=at.handle)
                at = stack.enter_context(_opened(at, part))
            yield at

    @contextlib.contextmanager
    def _own(self, *, make: bool = False) -> Generator[_Open]:
        """The trash folder, which must be a folder of the user who runs the server: anybody may have put another there."""
        if make:
            os.makedirs(os.path.dirname(self.place), exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.place, 0o700)
        with _opened(None, self.place) as trash:
            owner = os.stat(trash.path if trash.handle is None else trash.handle).st_uid
            if hasattr(os, "geteuid") and owner != os.geteuid():
                raise Refused(
                    f"The trash {self.place} belongs to another user; set {PLACE_VARIABLE} to a folder of your own.", "not_own"
                )
            yield trash

    def _forget(self, trash: _Open, entry: str) -> None:
        """Removes a record whose folder is not there."""
        with contextlib.suppress(OSError):
            with _opened(trash, entry) as inside:
                os.unlink(inside.of(_RECORD), dir_fd=inside.handle)
            os.rmdir(trash.of(entry), dir_fd=trash.handle)


def folder_size(folder: str, seconds: float = 2.0) -> tuple[int, int, bool]:
    """Files and bytes in a folder, links not followed, and whether there was time to count all."""
    files = size = 0
    deadline = time.monotonic() + seconds
    stack = [folder]
    while stack:
        if time.monotonic() > deadline:
            return files, size, False
        with contextlib.suppress(OSError), os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                else:
                    files += 1
                    size += entry.stat(follow_symlinks=False).st_size
    return files, size, True


@dataclass(frozen=True, slots=True)
class _Open:
    """A folder that is open, where the system has such handles: names in it are reached whatever happens to its path."""

    path: str
    handle: int | None

    def of(self, name: str) -> str:
        """What the system is given for a name in the folder."""
        return name if self.handle is not None else os.path.join(self.path, name)


@contextlib.contextmanager
def _opened(parent: _Open | None, name: str) -> Generator[_Open]:
    """Opens a folder that is no link. Raises OSError."""
    path = name if parent is None else os.path.join(parent.path, name)
    if not _BY_HANDLE:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        yield _Open(path, None)
        return
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    handle = os.open(path if parent is None else name, flags, dir_fd=None if parent is None else parent.handle)
    try:
        yield _Open(path, handle)
    finally:
        os.close(handle)


def _is_there(folder: _Open, name: str) -> bool:
    try:
        os.stat(folder.of(name), dir_fd=folder.handle, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _write_record(folder: _Open, trashed: Trashed) -> None:
    """On disk before the folder moves, so that no folder in the trash lacks its record."""
    descriptor = os.open(folder.of(_RECORD), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder.handle)
    with open(descriptor, "wb") as file:
        file.write(json.dumps(asdict(trashed)).encode())
        file.flush()
        os.fsync(file.fileno())


def _read_record(folder: _Open, entry: str) -> Trashed:
    """The record of a folder; one that cannot be read gives the little that is known, so that the folder is listed all the same."""
    fields: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        descriptor = os.open(
            folder.of(_RECORD), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), dir_fd=folder.handle
        )
        with open(descriptor, "rb") as file:
            content: object = json.loads(file.read(MAX_RECORD))
        fields = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    runs: object = fields.get("runs")
    return Trashed(
        id=entry,
        name=_text(fields.get("name")),
        moved=_number(fields.get("moved")),
        by=_text(fields.get("by")),
        files=int(_number(fields.get("files"))),
        bytes=int(_number(fields.get("bytes"))),
        runs=tuple(_text(run) for run in cast("list[object]", runs)) if isinstance(runs, list) else (),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and 0 <= value < 1e18 else 0


def _other_disk(folder: str, place: str) -> str:
    return (
        f"{folder} is on another disk than its trash {place}; start the server with {PLACE_VARIABLE} set to a folder on the same disk."
    )


@contextlib.contextmanager
def _told(failed: str, place: str = "") -> Generator[None]:
    """Turns what the file system refuses into a sentence."""
    try:
        yield
    except OSError as problem:
        if problem.errno == errno.EXDEV:
            raise Refused(f"{failed}: it is on another disk than its trash {place}; set {PLACE_VARIABLE}.", "other_disk") from problem
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Refused(f"{failed}: the disk is full. Free some space first.", "disk_full") from problem
        if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise Refused(f"{failed}: {reason_of(problem)}. Change the permissions first.", "no_permission") from problem
        if problem.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Refused(f"{failed}: a folder on the way is a link or a file. Replace it by a folder first.", "is_link") from problem
        raise Refused(f"{failed}: {reason_of(problem)}.", "cannot_move") from problem
