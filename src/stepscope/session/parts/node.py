"""One node or scope of a graph in a profile: its time in each step, and its memory by allocator."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.graphs.node_detail import node_detail
from stepscope.model import declared as d
from stepscope.model.declared import fill_all
from stepscope.model.profile import NONE
from stepscope.session.analysed import AnalysedSession
from stepscope.session.part import Answer, Part, Wanted

MOST_STEPS = 1_000
_Name = Annotated[str, Meta(max_length=16_384)]


class NodeWanted(Wanted, frozen=True, kw_only=True):
    """Which node."""

    name: Annotated[_Name, d.text("Name of the operation; of a scope, with a slash at its end; empty: all operations.")]
    program: Annotated[_Name, d.text("Compiled program that it belongs to; empty outside of programs.")] = ""


class NodeStep(Struct, frozen=True):
    """One step."""

    step: Annotated[int | None, d.step("Number of the step; null for what ran outside of steps.")]
    us: Annotated[float, d.us("Duration on devices, or on the host where nothing of it ran on a device.")]


class NodeAllocator(Struct, frozen=True):
    """Memory of one allocator."""

    allocator: Annotated[str, d.text("Name of the allocator; empty when it is not recorded.")]
    device: Annotated[str, d.text("Device of the memory, or `host`.")]
    bytes: Annotated[int, d.size("Bytes allocated, without releases.")]
    allocations: Annotated[int, d.count("Number of allocations.")]


class NodeCosts(Answer, frozen=True, kw_only=True):
    """Time by step and memory by allocator; both are empty when nothing was recorded."""

    steps: Annotated[list[NodeStep], d.nested("Steps in which it ran, at most the first 1,000.")]
    total_steps: Annotated[int, d.count("Number of steps in which it ran.")]
    allocators: Annotated[list[NodeAllocator], d.nested("Memory by allocator, most first.")]


def _make(session: AnalysedSession, wanted: NodeWanted) -> NodeCosts:
    workers = [(session.profiles[place], session.breakdown(place).steps) for place in session.places(wanted.worker)]
    found = node_detail(workers, wanted.name, wanted.program)
    return NodeCosts(
        steps=[NodeStep(None if one.step == NONE else one.step, one.ns / 1e3) for one in found.steps[:MOST_STEPS]],
        total_steps=len(found.steps),
        allocators=fill_all(NodeAllocator, found.allocators),
    )


NODE = Part("node", "Steps and allocators of a graph node", NodeWanted, NodeCosts, _make, passing=True)
