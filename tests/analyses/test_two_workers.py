"""Two processes of the real torch, TensorFlow and JAX that train together, one of them slowed: it is named, and the other one waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.lateness import OFTEN
from stepscope.analyses.communication.tables import Communication, communication
from stepscope.analyses.ranges.chosen import choose
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.texts import rank_name
from stepscope.analyses.time_classes import Group
from stepscope.analyses.what_if.stragglers import straggler
from stepscope.formats.programs import read_programs

pytestmark = [pytest.mark.peers, pytest.mark.xdist_group("two workers")]
RECORDER = Path(__file__).parent / "recorders" / "two_workers.py"
SLOW = 1
"""The place of the process that sleeps."""


@dataclass(frozen=True)
class Recorded:
    """Both recordings, and what is made of them."""

    facts: dict[str, Any]
    summary: Summary
    found: Communication


def recorded(run: Callable[..., Any], folder: Path, framework: str) -> Recorded:
    facts = run(RECORDER, framework, folder)
    profiles = choose(open_profile(facts["session"]), facts["range"])
    breakdowns = [break_down(profile) for profile in profiles]
    programs = [read_programs(profile)[0] for profile in profiles]
    return Recorded(facts, summarise(profiles), communication(profiles, breakdowns, programs))


@pytest.fixture(scope="module", params=["torch", "tensorflow", "jax"])
def two(request: pytest.FixtureRequest, run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return recorded(run_in_peers, tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def server(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return recorded(run_in_peers, tmp_path_factory.mktemp("server"), "parameter_server")


def test_both_have_the_same_steps(two: Recorded) -> None:
    assert [len(breakdown.steps) for breakdown in two.summary.breakdowns] == [two.facts["steps"]] * 2
    assert [each for each in two.found.disagreements if "step" in each.what and "operations" not in each.what] == []


def test_the_gradients_are_one_collective_a_step_on_each(two: Recorded) -> None:
    row = two.found.rows[0]
    assert (row.kind, row.present, row.count) == ("allreduce", 2, 2 * two.facts["steps"])


def test_the_slowed_process_is_named(two: Recorded) -> None:
    assert two.found.straggler == SLOW
    assert straggler(two.summary.breakdowns) == SLOW
    names = [rank_name(profile, place) for place, profile in enumerate(two.summary.profiles)]
    assert "1" in names[SLOW]
    assert len(set(names)) == 2


def test_the_other_one_waits(two: Recorded) -> None:
    waiting, slow = two.found.ranks
    assert waiting.waiting_ns is not None
    assert slow.waiting_ns is not None
    assert waiting.waiting_ns > 0.6 * two.facts["sleep_ns"]
    assert slow.waiting_ns < 0.3 * waiting.waiting_ns
    assert slow.last is not None
    assert slow.last >= OFTEN
    assert two.found.collected.text == "split by 2 of 2 ranks"


def test_sleeping_is_no_communication(two: Recorded) -> None:
    slow = two.summary.breakdowns[SLOW]
    assert two.found.ranks[SLOW].exposed_ns < 0.5 * slow.typical_ns
    assert two.summary.groups[Group.COMMUNICATION] > 0.25


def test_no_worker_is_called_the_slowest_of_two_that_wait_for_each_other(two: Recorded) -> None:
    lengths = two.summary.lengths
    assert lengths.apart < 0.1
    assert "within" in lengths.text if lengths.equal else lengths.slowest is not None


def test_time_that_belongs_to_no_operation_is_told_and_small(two: Recorded) -> None:
    assert two.found.between_hosts_ns is not None
    assert 0 <= two.found.between_hosts_ns < 0.2 * two.summary.typical_ns


def test_a_worker_that_is_missing_is_said_before_anything_is_split(two: Recorded) -> None:
    alone = summarise(two.summary.profiles[:1])
    assert alone.collected.text.startswith("not split")
    assert alone.disagreements == ()
    found = communication(alone.profiles, alone.breakdowns)
    assert (found.between_hosts_ns, found.straggler, found.ranks[0].waiting_ns) == (None, None, None)


def test_workers_that_recorded_other_steps_are_told_apart(two: Recorded) -> None:
    first, second = two.summary.profiles
    number = int(two.summary.breakdowns[1].steps.number[1])
    cut = summarise([first, *choose([second], f"{number}:")])
    differing = {each.what: each.values for each in cut.disagreements}
    assert differing["steps"] == (str(two.facts["steps"]), str(two.facts["steps"] - 1))


def test_sizes_are_known_where_the_file_or_the_program_tells(two: Recorded) -> None:
    row = two.found.rows[0]
    expected = {"PyTorch": 4 * 256 * 257, "JAX": 4 * 256 * 256, "TensorFlow": None}
    assert row.bytes == expected[two.summary.profiles[0].framework]
    assert (row.bus_bandwidth is None) == (row.bytes is None)
    assert row.ranks == 2


def test_tensors_of_a_parameter_server_are_awaited_between_hosts(server: Recorded) -> None:
    received = [row for row in server.found.rows if row.kind == "recv"]
    assert [row.group for row in received] == ["between hosts"]
    assert received[0].count == 2 * server.facts["steps"], "the weights, and that they were updated"
    assert received[0].exposed_ns > 0
    assert [row.count for row in server.found.rows if row.kind == "send"] == [server.facts["steps"]]
