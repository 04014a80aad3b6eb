"""One rank is late in nearly every step, and all others wait for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from stepscope.analyses.breakdown import Breakdown
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
_SLOW_STAGE = 0.05
_NAMED = 4
_DEVICE_WORK = (TimeClass.COMPUTE, TimeClass.H2D, TimeClass.D2H, TimeClass.D2D)
_NOT_OWN = (TimeClass.COMM, TimeClass.UNTRACED)
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
    if len(set(together.stages)) > 1:
        return _in_stages(facts)
    if together.late is not None:
        return _without_replay(facts, _pattern(facts, together.late, together.late_share))
    late = _late_ranks(facts)
    if not late:
        return CannotTell("The ranks have no step in common.", "Capture the same steps on every rank.")
    rank, times = Counter(late).most_common(1)[0]
    share = times / len(late)
    if share < _SAME_RANK:
        return Quiet(f"No rank is slowest in most steps; the most frequent one is slowest in {percent(share)} of them.")
    return _pattern(facts, rank, share)


def _in_stages(facts: Facts) -> Seen:
    """Stages of a pipeline do different work: a rank is compared with those of its stage, and a stage with the other stages."""
    late = _late_ranks(facts)
    if not late:
        return CannotTell("The ranks have no step in common.", "Capture the same steps on every rank.")
    rank, times = Counter(late).most_common(1)[0]
    peers = _peers(facts, rank)
    own = [_work_ns(facts, one) for one in facts.summary.breakdowns]
    beyond = own[rank] - float(np.median([own[place] for place in peers])) if peers else 0.0
    if times >= _SAME_RANK * len(late) and beyond > _SLOW_STAGE * facts.step_ns:
        return _without_replay(facts, _pattern(facts, rank, times / len(late)))
    stages = facts.summary.collected.stages
    usual = {stage: float(np.median([own[place] for place in range(len(own)) if stages[place] == stage])) for stage in set(stages)}
    slowest = max(usual, key=lambda stage: usual[stage])
    later = usual[slowest] - float(np.median([ns for stage, ns in usual.items() if stage != slowest]))
    if later <= _SLOW_STAGE * facts.step_ns:
        return Quiet("Ranks of one pipeline stage, and the stages, need the same time for their own work in most steps.")
    return _slow_stage(facts, [place for place, stage in enumerate(stages) if stage == slowest], later)


def _without_replay(facts: Facts, found: Seen) -> Seen:
    """A replay ties ranks by collectives that all of them share: where ranks send, or reduce in groups, it can promise nothing."""
    together = facts.summary.collected
    if not isinstance(found, Pattern) or found.lever is None or not (together.in_groups or len(set(together.stages)) > 1):
        return found
    beyond = sum(found.lever.takes.values()) / facts.step_ns
    return replace(found, lever=None, urgent=beyond > _SLOW_STAGE, costs=beyond)


def _slow_stage(facts: Facts, members: list[int], later: float) -> Seen:
    breakdowns, profiles = facts.summary.breakdowns, facts.summary.profiles
    others = [one.typical_parts for place, one in enumerate(breakdowns) if place not in members]
    mine = np.median([breakdowns[place].typical_parts for place in members], axis=0)
    takes = _differences(mine, np.median(others, axis=0), later)
    names = ", ".join(rank_name(profiles[place], place) for place in members[:_NAMED])
    more = f" and {len(members) - _NAMED} more" if len(members) > _NAMED else ""
    part = max(takes, key=lambda each: takes[each], default=TimeClass.COMPUTE)
    return Pattern(
        title="Balance the pipeline stages",
        summary=f"The pipeline stage of {names}{more} needs {milliseconds(later)} more than the others, mostly {part_text(part)}.",
        evidence=(
            Evidence(f"All ranks of the stage are equally slow; the other stages wait for it: {names}{more}."),
            *(Evidence(f"{part_text(each).capitalize()}: {milliseconds(ns)} more.") for each, ns in takes.items() if ns > later / 2),
        ),
        urgent=True,
        costs=later / facts.step_ns,
        code=NO_CODE,
    )


def _work_ns(facts: Facts, one: Breakdown) -> float:
    """A rank's own work: what is no communication; in a pipeline what was seen of it, since a stage is idle until the one before it has
    sent."""
    if len(set(facts.summary.collected.stages)) > 1:
        return float(one.typical_parts[_seen_work(one)].sum())
    return own_ns(one)


def _seen_work(one: Breakdown) -> list[TimeClass]:
    """Classes of work that a stage of a pipeline does itself: the device's, and on a CPU-only rank whatever the trace covers."""
    return [each for each in TimeClass if each not in _NOT_OWN] if one.classified.cpu_only else list(_DEVICE_WORK)


def _peers(facts: Facts, rank: int) -> list[int]:
    """Ranks that do the same work: those of its stage, or all others where there are no stages."""
    stages = facts.summary.collected.stages
    places = [place for place in range(len(facts.summary.profiles)) if place != rank]
    return [place for place in places if stages[place] == stages[rank]] if len(set(stages)) > 1 else places


def _pattern(facts: Facts, rank: int, share: float) -> Seen:
    breakdowns, name = facts.summary.breakdowns, rank_name(facts.summary.profiles[rank], rank)
    others = [breakdowns[place] for place in _peers(facts, rank)]
    later = _work_ns(facts, breakdowns[rank]) - float(np.median([_work_ns(facts, one) for one in others]))
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
    # Balancing moves work of the data to the other ranks, and every rank then does its part of it; what only waits would be gone.
    stays = 1 / (1 + len(others)) if part in _OF_DATA and not sleeps else 0.0
    return Pattern(
        title=f"Find out why {name} is slow",
        summary=f"{name} needs {milliseconds(later)} more than the other ranks for its own work, mostly "
        f"{'sleeping in Python: it waits for something' if sleeps else part_text(part)}.",
        evidence=tuple(lines),
        subject="Balancing work across ranks",
        lever=Lever(Action.STRAGGLER, {each: (1 - stays) * ns for each, ns in takes.items()}, rank=rank, factor=stays),
        holds_in=share,
        code=None if part in _OF_DATA else NO_CODE,
    )


def _begins_late(name: str, together: Collected, later: float) -> Quiet:
    """A rank may come last without working longer: its steps then begin later than those of the others."""
    often = "every step" if together.late_share >= 1 else f"{percent(together.late_share)} of steps"
    longer = f"it works only {milliseconds(later)} longer: most of the delay" if later > 0 else "it does not work longer: the delay"
    return Quiet(f"{name} is last in {often}, by {milliseconds(together.late_ns)}, but {longer} is before its step.")


def _late_ranks(facts: Facts) -> list[int]:
    """For every step that all ranks have, the rank with most work of its own beside those that do the same work."""
    own: list[dict[int, float]] = []
    staged = len(set(facts.summary.collected.stages)) > 1
    for one in facts.summary.breakdowns:
        time = one.steps.length - one.parts[:, TimeClass.COMM]
        if staged:
            time = one.parts[:, _seen_work(one)].sum(axis=1)
        own.append(dict(zip(one.steps.number.tolist(), time.tolist(), strict=True)))
    common = set[int].intersection(*(set(each) for each in own))
    peers = [_peers(facts, rank) for rank in range(len(own))] if staged else None
    found: list[int] = []
    for number in sorted(common):
        work = [each[number] for each in own]
        if peers is not None:  # beyond what ranks of its stage need
            work = [ns - float(np.median([work[place] for place in peers[rank]] or [ns])) for rank, ns in enumerate(work)]
        found.append(int(np.argmax(work)))
    return found


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
