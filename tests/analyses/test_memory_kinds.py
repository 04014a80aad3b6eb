"""What memory was for, by the pass in which it was taken and by what it outlived."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyses.memory_tables import Event, with_allocations
from stepscope.analyses.memory.ledger import Ledger, ledgers
from stepscope.analyses.memory.timeline import StackedBy, memory_timeline, possible_stacks
from stepscope.model.profile import NONE, FlowKind, Flows, Profile

OPTIMIZER = "Optimizer.step#SGD.step"
STEPS = """
    main      111111112222222233333333
    main      iioo..nniioo..nniioo..nn
    backward  ....oo......oo......oo..
"""
NEVER = 0.0
# What is taken: when in the step, inside of what, how many bytes, and when it is given back.
TAKEN = {
    "batch": (0.5, "i", 100, 8.2),
    "scratch of the loader": (0.6, "i", 1, 0.9),
    "activation": (2.5, "o", 200, 5.5),
    "output": (3.0, "o", 20, 11.5),
    "scratch": (2.6, "o", 30, 2.9),
    "leak": (3.5, "o", 5, NEVER),
    "weight's gradient": (4.5, "o", 70, 10.1),
    "activation's gradient": (4.6, "o", 60, 5.2),
    "scratch of the optimizer": (6.6, OPTIMIZER, 40, 6.9),
}


def training() -> Profile:
    """Three steps; the state of the optimizer is made in the first."""
    events = [Event(6.5, 400, 1, OPTIMIZER)]
    for step in range(3):
        for place, (time, around, size, until) in enumerate(TAKEN.values()):
            address = 100 * (step + 1) + place
            events.append(Event(8 * step + time, size, address, around))
            if until and 8 * step + until < 24:
                events.append(Event(8 * step + until, -size, address))
    events.sort(key=lambda event: event.time)
    return with_allocations(STEPS, events, n=OPTIMIZER)


def kinds(ledger: Ledger, name: str) -> list[str]:
    """Of each step's allocation."""
    size = TAKEN[name][2]
    holdings = ledger.holdings
    return [ledger.texts[holdings.kind[place]] for place in np.flatnonzero(holdings.bytes == size).tolist()]


def test_every_kind_is_told_by_when_it_lived() -> None:
    (ledger,) = ledgers(training())
    assert ledger.kinds_by_pass
    assert kinds(ledger, "batch") == ["input"] * 3
    assert kinds(ledger, "activation") == ["activation"] * 3
    # An output that its name holds until the next step's takes its place.
    assert kinds(ledger, "output") == ["activation"] * 3
    assert kinds(ledger, "weight's gradient") == ["gradient"] * 3
    for name in ("scratch of the loader", "scratch", "activation's gradient", "scratch of the optimizer"):
        assert kinds(ledger, name) == ["temporary"] * 3
    (state,) = np.flatnonzero(ledger.holdings.bytes == 400).tolist()
    assert ledger.texts[ledger.holdings.kind[state]] == "optimizer state"


def test_nothing_is_said_of_what_outlives_a_second_pass() -> None:
    (ledger,) = ledgers(training())
    assert kinds(ledger, "leak")[:2] == ["", ""]


def test_layers_by_kind_sum_to_the_level() -> None:
    (ledger,) = ledgers(training())
    assert StackedBy.KIND in possible_stacks(ledger)
    line = memory_timeline(ledger, StackedBy.KIND)
    assert {"activation", "gradient", "optimizer state", "input"} <= {layer.name for layer in line.layers}
    assert np.array_equal(sum((layer.bytes for layer in line.layers), np.zeros_like(line.level)), line.level)


def test_without_a_pass_back_no_kind_is_told() -> None:
    (ledger,) = ledgers(with_allocations("main  1122\n    main  oooo", [Event(0.5, 10, 1, "o"), Event(1.5, -10, 1, "o")]))
    assert (ledger.kinds_by_pass, possible_stacks(ledger)) == (False, (StackedBy.OP,))


def test_without_addresses_no_kind_is_told() -> None:
    profile = training()
    table = replace(profile.allocations, address=np.full(len(profile.allocations.address), NONE, np.int64))
    (ledger,) = ledgers(replace(profile, allocations=table))
    assert not ledger.kinds_by_pass


def test_on_one_thread_ties_between_operations_tell_the_way_back() -> None:
    picture = """
        main  111222
        main  o.o.o.
        main  .o.o..
    """
    events = [Event(0.5, 10, 1, "o"), Event(1.5, 20, 2, "o"), Event(1.9, -10, 1), Event(3.2, -20, 2), Event(3.5, 5, 3, "o")]
    profile = with_allocations(picture, events)
    rows = np.argsort(profile.spans.start, kind="stable")
    ops = rows[profile.spans.kind[rows] == 1].astype(np.int32)
    tied = Flows(ops[[0, 2]], ops[[1, 3]], np.full(2, FlowKind.BACKWARD, np.int8))
    (ledger,) = ledgers(replace(profile, flows=tied))
    found = {int(size): ledger.texts[kind] for size, kind in zip(ledger.holdings.bytes, ledger.holdings.kind, strict=True)}
    assert found == {10: "activation", 20: "gradient", 5: "gradient"}


def test_a_call_around_both_ways_is_neither() -> None:
    picture = """
        main  111222
        main  oooooo
        main  .o.o..
    """
    profile = with_allocations(picture, [Event(0.5, 10, 1, "o"), Event(0.8, -10, 1)])
    starts = profile.spans.start.tolist()
    inner = np.array([starts.index(1_000_000), starts.index(3_000_000)], np.int32)
    tied = Flows(inner[:1], inner[1:], np.full(1, FlowKind.BACKWARD, np.int8))
    (ledger,) = ledgers(replace(profile, flows=tied))
    assert ledger.texts[ledger.holdings.kind[0]] == "temporary"
