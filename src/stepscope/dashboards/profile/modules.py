"""The tree of a model's modules on the Profile tab: one line a module, with the times of both passes."""

from __future__ import annotations

from msgspec import Struct

from stepscope.analyses.work.modules import ModuleRow, module_tree
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.profile import Profile

MOST_ROWS = 20_000
_US = 1e3


class ModulesRequest(Struct, frozen=True):
    """Which session and worker (none: the first)."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class ModuleLine(Struct, frozen=True):
    """One module over the whole recording; those below it follow it and are deeper. Times hold those below unless they are `self`."""

    path: str
    name: str
    depth: int
    calls: int
    share: float
    forward_host_us: float
    forward_host_self_us: float
    forward_device_us: float
    forward_device_self_us: float
    backward_host_us: float
    backward_host_self_us: float
    backward_device_us: float
    backward_device_self_us: float


class ModulesAnswer(Struct, frozen=True):
    """The tree in the order in which modules first ran, or how far reading has come; at most 20,000 of `total` lines are sent.

    `recorded` is false where the tree is that of name scopes.
    """

    epoch: int
    reading: ReadingRow | None
    rows: list[ModuleLine] | None
    total: int
    recorded: bool


def module_lines(profile: Profile) -> tuple[list[ModuleLine], int, bool]:
    """The lines, how many there are, and whether calls of modules were recorded."""
    tree = module_tree(profile)
    return [_line(row) for row in tree.rows[:MOST_ROWS]], len(tree.rows), tree.recorded


def _line(row: ModuleRow) -> ModuleLine:
    return ModuleLine(
        path=row.path,
        name=row.name,
        depth=row.depth,
        calls=row.calls,
        share=row.share,
        forward_host_us=row.forward.host_ns / _US,
        forward_host_self_us=row.forward.host_self_ns / _US,
        forward_device_us=row.forward.device_ns / _US,
        forward_device_self_us=row.forward.device_self_ns / _US,
        backward_host_us=row.backward.host_ns / _US,
        backward_host_self_us=row.backward.host_self_ns / _US,
        backward_device_us=row.backward.device_ns / _US,
        backward_device_self_us=row.backward.device_self_ns / _US,
    )
