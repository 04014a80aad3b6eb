"""Log folders on the command line: several paths, TensorBoard's --logdir and --logdir_spec, as named roots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.ingest.loader import Root


def parse_roots(
    paths: Sequence[str],
    logdir: str | None = None,
    spec: str | None = None,
    *,
    files_too: bool = False,
    may_come_later: bool = False,
) -> list[Root]:
    """The roots to read. One folder has no name; several are named by the spec or by their last part. Raises BadInput.

    `may_come_later` accepts a folder that does not exist yet: people start the page before the training that makes it.
    """
    from stepscope.ingest.loader import Root
    from stepscope.sources.files import absolute, exists, is_file, is_folder

    given = [*paths, *([logdir] if logdir else [])]
    if spec and given:
        raise BadInput("Give either --logdir_spec or log folders, not both.", "two_folders")
    named = _parse_spec(spec) if spec else [("", path) for path in given]
    if not named:
        raise BadInput("No log folder was given; run stepscope serve LOGDIR.", "no_folder")
    roots: list[Root] = []
    for name, path in named:
        full = absolute(path)
        later = may_come_later and not (exists(full) or os.path.islink(full))
        if not is_folder(full) and not later and not (files_too and is_file(full)):
            kind = "is not a folder" if exists(full) else "does not exist"
            raise BadInput(f"{path} {kind}; give the folder that contains your event files.", "bad_folder")
        roots.append(Root(name, full))
    if len(roots) > 1:
        roots = _with_names(roots)
    return roots


def notices(roots: Sequence[Root]) -> list[str]:
    """What the user should know of the roots before they are served, a sentence each."""
    from stepscope.sources.files import exists

    lines = [f"{root.path} does not exist yet; its runs appear when it is created." for root in roots if not exists(root.path)]
    for place, inner in enumerate(roots):
        for outer in roots[:place]:
            if os.path.join(inner.path, "").startswith(os.path.join(outer.path, "")):
                lines.append(f"{inner.path} is inside {outer.path}; its runs are listed once, under {outer.name}.")
    return lines


def _parse_spec(spec: str) -> list[tuple[str, str]]:
    """`name:path,name2:path2`; a part without a name stands for itself, also when it is C:\\logs or gs://bucket."""
    named: list[tuple[str, str]] = []
    for part in spec.split(","):
        name, colon, path = part.strip().partition(":")
        if not part.strip():
            continue
        if not colon or path.startswith(("//", "\\")) or (os.name == "nt" and len(name) == 1):
            named.append(("", part.strip()))
        else:
            named.append((name, path))
    return named


def _with_names(roots: list[Root]) -> list[Root]:
    """Gives each root a name of its own: that given, else the last part of its path, numbered where two are equal."""
    from stepscope.ingest.loader import Root

    taken: set[str] = set()
    named: list[Root] = []
    for root in roots:
        wanted = root.name or os.path.basename(root.path) or "root"
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}-{number}", number + 1
        taken.add(name)
        named.append(Root(name, root.path))
    return named
