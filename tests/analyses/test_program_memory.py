"""What compiled programs need of memory: by hand-made plans, beside JAX's own sums, and beside what a GPU's allocator gave."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from event_bytes import message
from sample_files import SAMPLES, needs
from stepscope.analyses.memory.ledger import ledgers
from stepscope.analyses.memory.program import ProgramMemory, program_memory
from stepscope.formats.open_profile import read_file
from stepscope.formats.programs import read_plans
from stepscope.formats.xplane.buffers import buffers_of
from stepscope.model.program_buffers import BufferUse, HeapAction, HeapEvent, PlannedAllocation, PlannedBuffer, ProgramBuffers
from stepscope.model.protobuf_fields import BadMessage

GPU = "xplane/gfx950_jax_attention/934987a2fc2f.xplane.pb"
SIZES = {1: 100, 2: 40, 3: 70, 4: 1000}


def replayed(*events: tuple[HeapAction, int] | tuple[HeapAction, int, int]) -> ProgramMemory:
    """The plan of buffers named after their numbers."""
    buffers = {number: PlannedBuffer(size, f"op{number}") for number, size in SIZES.items()}
    plan = [HeapEvent(event[0], event[1], event[2] if len(event) > 2 else -1, f"at{place}") for place, event in enumerate(events)]
    return program_memory(ProgramBuffers("p", buffers, [], [[], plan]))


def test_the_plan_is_replayed_in_program_order() -> None:
    take, give = HeapAction.TAKE, HeapAction.GIVE_BACK
    found = replayed((take, 1), (take, 2), (give, 1), (take, 3), (give, 3), (give, 2))
    assert found.level == (100, 140, 40, 110, 40, 0)
    assert (found.peak_bytes, found.peak_instruction, found.at_peak) == (140, "at1", (("op1", 100), ("op2", 40)))


def test_buffers_that_share_memory_count_once_until_the_last_is_gone() -> None:
    take, give, share = HeapAction.TAKE, HeapAction.GIVE_BACK, HeapAction.SHARE
    found = replayed((take, 1), (share, 2, 1), (give, 1), (take, 3), (give, 2), (give, 3))
    assert found.level == (100, 100, 100, 170, 70, 0)
    chained = replayed((take, 1), (share, 2, 1), (give, 1), (share, 3, 2), (give, 2), (give, 3))
    assert chained.level == (100, 100, 100, 100, 100, 0)


def test_a_plan_that_makes_no_sense_breaks_nothing() -> None:
    give = HeapAction.GIVE_BACK
    assert replayed((give, 1), (give, 99), (HeapAction.TAKE, 99)).level == ()
    assert replayed((give, 1), (HeapAction.TAKE, 1), (give, 1), (give, 1)).level == (0, 100, 0, 0)
    assert program_memory(ProgramBuffers("p", {}, [], [])).peak_bytes == 0


def test_allocations_by_use() -> None:
    uses = (BufferUse.PARAMETER, BufferUse.OUTPUT, BufferUse.TEMPORARY, BufferUse.THREAD_LOCAL)
    plan = [PlannedAllocation(place, 10**place, use, place == 0) for place, use in enumerate(uses)]
    found = program_memory(ProgramBuffers("p", {}, plan, []))
    assert (found.total_bytes, found.aliased_bytes, found.bytes_of[BufferUse.THREAD_LOCAL]) == (111, 1, 1000)


def test_damaged_plans_are_refused() -> None:
    with pytest.raises(BadMessage):
        buffers_of("p", message(3, b"\x0a\xff"))
    assert buffers_of("p", b"").allocations == []


@needs(GPU)
def test_what_was_planned_is_what_the_gpu_was_asked_for() -> None:
    profile = read_file(str(SAMPLES / GPU))
    plans, notes = read_plans(profile)
    assert notes == []
    planned = next(program_memory(plan) for plan in plans if plan.name.startswith("jit_loss_fn"))
    (ledger,) = ledgers(profile)
    # The allocator hands out multiples of 256 bytes.
    assert -(-planned.bytes_of[BufferUse.TEMPORARY] // 256) * 256 == ledger.holdings.bytes.max()
    assert planned.at_peak[0] == ("gemm_fusion_dot.3", 201_326_592)


@pytest.fixture(scope="module")
def compiled(run_in_peers: Callable[..., Any]) -> Any:
    return run_in_peers(Path(__file__).parent / "plans_of_jax.py")


@pytest.mark.peers
@pytest.mark.parametrize("name", ["layers", "gradient", "donated", "sorted"])
def test_sums_are_those_of_jax(compiled: Any, name: str) -> None:
    answer = compiled[name]
    found = program_memory(buffers_of(name, message(3, base64.b64decode(answer["assignment"]))))
    assert found.bytes_of[BufferUse.PARAMETER] == answer["argument"]
    assert found.bytes_of[BufferUse.OUTPUT] + found.aliased_bytes == answer["output"]
    assert found.aliased_bytes == answer["alias"]
    assert found.bytes_of[BufferUse.TEMPORARY] + found.bytes_of[BufferUse.CONSTANT] >= answer["temp"] >= found.peak_bytes
