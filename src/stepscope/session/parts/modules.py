"""The tree of a model's modules, with the times of the forward and the backward pass on the host and on devices."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.work.modules import module_tree
from stepscope.model import declared as d
from stepscope.model.declared import fill_all
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Limit, Rank, Worker, limited
from stepscope.session.part import Answer, Part, Wanted


class ModulesWanted(Wanted, frozen=True, kw_only=True):
    """How much of the tree is listed."""

    depth: Annotated[int, Meta(ge=0, le=1 << 20, description="Number of levels of the tree; 0: all of them.")] = 0
    limit: Limit = 0


class ModulePass(Struct, frozen=True, kw_only=True):
    """The time of one pass through a module."""

    host_us: Annotated[float, d.us("Host time, with the modules below.")]
    host_self_us: Annotated[float, d.us("Host time without the modules below.")]
    device_us: Annotated[float, d.us("Device time, with the modules below.")]
    device_self_us: Annotated[float, d.us("Device time without the modules below.")]


class ModuleRow(Struct, frozen=True, kw_only=True):
    """One module over the whole profile; the modules below it follow it and are deeper."""

    path: Annotated[str, d.text("Path of the module in the tree, such as `Net_0/Linear_1`.")]
    name: Annotated[str, d.text("Last word of the path.")]
    depth: Annotated[int, d.number("Level in the tree, from 0.", "level")]
    worker: Worker
    host: Host
    rank: Rank
    calls: Annotated[int, d.count("Number of calls.")]
    share: Annotated[float, d.fraction("Share of the time of all modules: on devices where any ran there, otherwise on the host.")]
    forward: Annotated[ModulePass, d.nested("Forward pass.")]
    backward: Annotated[ModulePass, d.nested("Backward pass.")]


class Modules(Answer, frozen=True, kw_only=True):
    """The tree of modules, or of the name scopes of operations where calls of modules are not recorded."""

    modules: Annotated[list[ModuleRow], d.nested("The rows in the order of the tree, one worker after another.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]
    recorded: Annotated[bool, d.flag("Whether calls of modules are recorded; false when the rows are name scopes.")]


def _make(session: AnalysedSession, wanted: ModulesWanted) -> Modules:
    rows: list[ModuleRow] = []
    recorded = False
    for place in session.places(wanted.worker):
        tree = module_tree(session.profiles[place])
        recorded |= tree.recorded
        kept = [row for row in tree.rows if not wanted.depth or row.depth < wanted.depth]
        rows += fill_all(ModuleRow, kept, **session.whose(place))
    return Modules(modules=limited(rows, wanted.limit), total=len(rows), recorded=recorded)


MODULES = Part("modules", "Modules", ModulesWanted, Modules, _make, table="modules")
