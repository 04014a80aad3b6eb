"""What a run's files tell about it beside their series: its hyperparameters, and the hosts that wrote them."""

from __future__ import annotations

import os
import re
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.queries.hyperparameters import hyperparameters
from stepscope.queries.names import path_text
from stepscope.queries.view import ShownRun

_MOST_HOSTS = 64
_WRITTEN_BY = re.compile(r"\.tfevents\.\d+\.(?P<host>.+)$", re.DOTALL)
_AFTER_HOST = re.compile(r"\.(?P<process>\d{1,10})\.\d+(?:\.[A-Za-z][^.]*)*$")
"""The process, a counter, and what the writer adds."""


class RunAbout(Struct, frozen=True):
    """A run's hyperparameters and hosts."""

    hyperparameters: Annotated[dict[str, str], d.nested("Logged hyperparameters by name, as text.")]
    hosts: Annotated[list[str], d.nested("Hosts in the names of its event files.")]


def about_run(run: ShownRun) -> RunAbout:
    """Reads the beginning of the run's files."""
    return RunAbout(hyperparameters([file.path for file in run.files()]), hosts_of(run))


def hosts_of(run: ShownRun) -> list[str]:
    """The hosts that the names of a run's files tell, each once."""
    hosts = dict.fromkeys(host for file in run.files() if (host := host_of(os.path.basename(file.path))))
    return [path_text(host) for host in hosts][:_MOST_HOSTS]


def host_of(file: str) -> str | None:
    """`trainer` of `events.out.tfevents.1700000000.trainer.4711.0.v2`; None where the name tells none."""
    found = _WRITTEN_BY.search(file)
    return _AFTER_HOST.sub("", found["host"]) if found else None


def process_of(file: str) -> tuple[str, int] | None:
    """Host and process of a file's name; None where the name does not tell both."""
    found = _WRITTEN_BY.search(file)
    process = _AFTER_HOST.search(found["host"]) if found else None
    return (found["host"][: process.start()], int(process["process"])) if found and process else None
