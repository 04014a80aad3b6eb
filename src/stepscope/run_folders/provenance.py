"""What ran where: the command, the machine, the state of the source code and the versions of what is loaded.

Environment variables are not recorded, and what looks like a secret on the command line is hidden.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from datetime import datetime
from importlib import metadata

from stepscope.writer.config import table
from stepscope.writer.event_log import host_name
from stepscope.writer.hparams import Plain
from stepscope.writer.masking import masked_arguments

_MOST_PACKAGES = 300
_LONGEST_COMMAND = 4_000
_GIT_SECONDS = 2.0
# Neither the index nor a program that the repository names is touched by asking.
_GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false")


def provenance(started: datetime, folder: str) -> str:
    """All of it, as Markdown; `folder` is where the program ran when it started."""
    facts: dict[str, Plain | None] = {
        "Started": started.isoformat(timespec="seconds"),
        "Command": command_line(),
        "Folder": folder,
        "Host": host_name(),
        "System": platform.platform(),
        "Processors": os.cpu_count(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        **(git_facts(_folder_of_program(folder)) or git_facts(folder)),
    }
    packages = table(dict(loaded_packages()), ("Package", "Version"))
    return f"{table(facts, ('What', 'Value'))}\n{packages}"


def command_line() -> str:
    """How the program was started, as it could be typed again."""
    arguments = sys.orig_argv or sys.argv
    shown = shlex.join(masked_arguments(arguments))
    return shown if len(shown) <= _LONGEST_COMMAND else f"{shown[: _LONGEST_COMMAND - 1]}…"


def git_facts(folder: str) -> dict[str, Plain | None]:
    """Commit, branch, and whether files of the repository differ from it; nothing where git has no answer."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    dirty = "unknown" if changes is None else "yes" if changes else "no"
    return {"Git commit": commit, "Git branch": _git(folder, "rev-parse", "--abbrev-ref", "HEAD"), "Uncommitted changes": dirty}


def loaded_packages() -> list[tuple[str, str]]:
    """Name and version of the packages this program has loaded; none is loaded for it."""
    names = {name for name in list(sys.modules) if "." not in name and not name.startswith("_") and name != "__main__"}
    found = [(name, version) for name in sorted(names - sys.stdlib_module_names) if (version := _version_of(name))]
    return found[:_MOST_PACKAGES]


def _version_of(name: str) -> str | None:
    """From the module's own dictionary, because asking a lazy module may load more of it."""
    version = getattr(sys.modules.get(name), "__dict__", {}).get("__version__")
    if isinstance(version, str):
        return version
    try:
        return metadata.version(name)
    except Exception:  # noqa: BLE001 (a broken package of others must not end a training)
        return None


def _folder_of_program(started_in: str) -> str:
    """Where the code is, unless it was typed, or started by a program that lives elsewhere."""
    program = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = os.path.dirname(os.path.join(started_in, program)) if isinstance(program, str) else started_in
    return folder if os.path.isdir(folder) else started_in


def _git(folder: str, *arguments: str) -> str | None:
    """What git says, or None when it is missing, slow or has nothing to say."""
    try:
        result = subprocess.run(
            [*_GIT, "-C", folder, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_GIT_SECONDS,
            check=True,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return result.stdout.strip()
