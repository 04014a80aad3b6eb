"""One rank is late in nearly every step, and all others wait for it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from stepscope.analyses.communication.ranks import Collected
from stepscope.analyses.host.python_kinds import PythonKind, python_by_kind
from stepscope.analyses.texts import milliseconds, part_text, rank_name
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Float64
from stepscope.rules.facts import Facts, own_ns
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import NO_CODE, CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SAME_RANK = 0.6
_LATE = 0.01
_EXPLAINS = 0.5
"""A rank whose own work is longer by less of what the others wait for it was late before its step began."""
_OF_DATA = (TimeClass.COMPUTE, TimeClass.INPUT, TimeClass.OP, TimeClass.H2D, TimeClass.D2H, TimeClass.D2D)
"""Parts that are longer where a rank has more data; of the others equal shares of the data change nothing."""


def look(facts: Facts) -> Seen:
    """The rank that the others wait for in their collectives; where these do not tell, the one that works longest in most steps."""
    summary = facts.summary
    if len(summary.profiles) < 2:
        if facts.parts[TimeClass.COMM] > 0 or facts.profile.world_size > 1:
            return CannotTell(
                "This profile has only one rank of the job.", "Capture the same steps on every rank and open all files together."
            )
        return Quiet("The job has one rank.")
    together = summary.collected
    if summary.quality.damaged:
        return CannotTell(summary.quality.cut_short, "Capture the same steps on every rank, and copy whole files.")
    if together.late is not None:
        return _pattern(facts, together.late, together.late_share)
    late = _late_ranks(facts)
    if not late:
        return CannotTell("The ranks have no step in common.", "Capture the same steps on every rank.")
    rank, times = Counter(late).most_common(1)[0]
    share = times / len(late)
    if share < _SAME_RANK:
        return Quiet(f"No rank is slowest in most steps; the most frequent one is slowest in {percent(share)} of them.")
    return _pattern(facts, rank, share)


def _pattern(facts: Facts, rank: int, share: float) -> Seen:
    breakdowns, name = facts.summary.breakdowns, rank_name(facts.summary.profiles[rank], rank)
    others = [one for place, one in enumerate(breakdowns) if place != rank]
    later = own_ns(breakdowns[rank]) - float(np.median([own_ns(one) for one in others]))
    waiting = [split.waiting_ns for place, split in enumerate(facts.summary.collected.splits) if split and place != rank]
    together = facts.summary.collected
    if together.late == rank and together.late_ns > _LATE * facts.step_ns and later < _EXPLAINS * together.late_ns:
        return _begins_late(name, together, later)
    if later <= _LATE * facts.step_ns:
        return Quiet("All ranks need the same time for their own work.")
    takes = _differences(breakdowns[rank].typical_parts, np.median([one.typical_parts for one in others], axis=0), later)
    if not takes:
        return Quiet("All ranks need the same time for their own work.")
    part = max(takes, key=lambda each: takes[each])
    lines = [Evidence(f"{name} is the last to start communication in {percent(share)} of steps.")]
    waited = together.late_ns if together.late == rank else float(np.mean(waiting)) if waiting else 0.0
    if waited > 0:
        lines.append(Evidence(f"The other ranks wait {milliseconds(waited)} per step for it."))
    lines.append(Evidence(f"The largest difference is {part_text(part)}: {milliseconds(takes[part])} more than on the other ranks."))
    sleeps = False
    if rank == facts.rank:
        rows = facts.labelled(part)
        lines += facts.evidence_of(rows, lambda span, ns: f"{span}: {milliseconds(ns)} per step.")
        sleeps = part is TimeClass.PYTHON and facts.exposed_ns(python_by_kind(facts.profile, rows)[PythonKind.SLEEPS]) > takes[part] / 2
    return Pattern(
        title=f"Find out why {name} is slow",
        summary=f"{name} needs {milliseconds(later)} more than the other ranks for its own work, mostly "
        f"{'sleeping in Python: it waits for something' if sleeps else part_text(part)}.",
        evidence=tuple(lines),
        subject="Balancing work across ranks",
        lever=Lever(Action.STRAGGLER, takes, rank=rank),
        holds_in=share,
        code=None if part in _OF_DATA else NO_CODE,
    )


def _begins_late(name: str, together: Collected, later: float) -> Quiet:
    """A rank may come last without working longer: its steps then begin later than those of the others."""
    often = "every step" if together.late_share >= 1 else f"{percent(together.late_share)} of steps"
    longer = f"it works only {milliseconds(later)} longer: most of the delay" if later > 0 else "it does not work longer: the delay"
    return Quiet(f"{name} is last in {often}, by {milliseconds(together.late_ns)}, but {longer} is before its step.")


def _late_ranks(facts: Facts) -> list[int]:
    """For every step that all ranks have, the rank with most work of its own."""
    own: list[dict[int, int]] = []
    for one in facts.summary.breakdowns:
        time = one.steps.length - one.parts[:, TimeClass.COMM]
        own.append(dict(zip(one.steps.number.tolist(), time.tolist(), strict=True)))
    common = set[int].intersection(*(set(each) for each in own))
    return [int(np.argmax([each[number] for each in own])) for number in sorted(common)]


def _differences(mine: Float64, usual: Float64, later: float) -> dict[TimeClass, float]:
    """Classes in which the rank takes longer; they sum to what it is late."""
    grown = {each: float(mine[each] - usual[each]) for each in TimeClass if each is not TimeClass.COMM and mine[each] > usual[each]}
    whole = sum(grown.values())
    return {each: ns * later / whole for each, ns in grown.items()}


RULE = Rule(
    id="straggler",
    title="Straggler rank",
    look=look,
    code=Code(
        tensorflow="# Equal work for every worker:\ndataset = dataset.shard(num_workers, worker_index)",
        pytorch="# Equal work for every rank:\nsampler = DistributedSampler(dataset, drop_last=True)",
        jax="# Equal work for every process:\nbatch = jax.make_array_from_process_local_data(sharding, local)",
    ),
    wrong_when="When the rank is slow only while it is profiled, or has more work on purpose, such as the last pipeline stage.",
)
