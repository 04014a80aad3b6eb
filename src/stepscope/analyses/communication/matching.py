"""The same collectives on several ranks: what ties them, which of their ranks are here, and one clock for all."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stepscope.analyses.steps import Steps, step_of_spans
from stepscope.model.profile import NONE, Float64, Int32, Int64, MarkerFamily, Profile, SpanKind, TrackRole

Key = tuple[str, str, int, int]
"""Group, name, step and count; the step is NONE where a sequence number or the order alone tells collectives apart."""

PAIRED = ("send", "recv")
"""Between two ranks: one sends what the other receives."""
CLOCK_ERROR = "clockErrorNanoseconds"
"""Half of the round trip by which stepscope.profile has measured how far the clock of a rank is ahead of the first one's."""
_START, _DONE = "-start", "-done"
_NUMBERED = (MarkerFamily.PROFILER_STEP, MarkerFamily.STEP_NUM, MarkerFamily.DEVICE_STEP)


@dataclass(frozen=True, slots=True)
class Own:
    """One communication of one rank; times since the epoch that all ranks share."""

    row: int
    done: int  # row of what waits for its end, when it was only started at `row`; NONE otherwise
    start: int
    end: int
    group: str  # of what is sent, with the two ranks between which it is, where the file tells both
    name: str
    size: int  # ranks of the group; NONE when the file does not tell
    sequence: int
    place: int  # in the collectives table, NONE when it has none
    step: int  # number, NONE outside or where steps have none
    label: str  # tells it from others of its group that no sequence number tells apart


@dataclass(frozen=True, slots=True)
class Meeting:
    """The same communication on all ranks that are here for it."""

    ranks: tuple[int, ...]  # places of profiles
    rows: tuple[int, ...]  # of each
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    complete: bool  # all ranks of its group are here
    paired: bool = False  # what one rank sends and another receives: who waits there waits for work it depends on, and for no straggler


@dataclass(frozen=True, slots=True)
class Clocks:
    """What to add to each rank's times so that collectives end together, and how far they then still differ."""

    offset_ns: Float64
    error_ns: float  # 95 % of the ends agree this well
    matched: (
        int  # collectives by which they were aligned: those on every rank, else those that several share; 0 when they were measured
    )
    groups: int = 1  # of ranks that share collectives with each other; those of different groups keep their own clocks

    def shift(self, rank: int) -> int:
        """The offset in whole nanoseconds: times since the epoch are too large for fractions."""
        return round(float(self.offset_ns[rank]))


def own_collectives(profile: Profile, steps: Steps | None = None) -> list[Own]:
    """One rank's communication in order of time; a start and what waits for its end are one."""
    spans = profile.spans
    rows = _rows(profile)
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    found: list[Own] = []
    open_: dict[tuple[int, str], deque[int]] = {}
    for one, track, kind in zip(
        _each(profile, rows, _step_numbers(profile, steps, rows)), spans.track[rows].tolist(), _types(profile, rows), strict=True
    ):
        if kind.endswith(_DONE) and (started := open_.get((track, kind.removesuffix(_DONE)))):
            at = started.popleft()
            found[at] = replace(found[at], done=one.row, end=one.end)
            continue
        if kind.endswith(_START):
            open_.setdefault((track, kind.removesuffix(_START)), deque()).append(len(found))
        found.append(one)
    return found


def meet(own: Sequence[Sequence[Own]], world_size: int) -> list[Meeting]:
    """Ties the ranks' communications; `world_size` stands in where a group's size is unknown."""
    by_step = _labels_by_step(own)
    pairs = _pairs(own)
    found: dict[Key, list[tuple[int, Own]]] = {}
    for rank, each in enumerate(own):
        counted: Counter[tuple[str, str, int]] = Counter()
        for one in each:
            key = _paired_key(one, rank, pairs, counted) if one.name in PAIRED else _key(one, by_step, counted)
            found.setdefault(key, []).append((rank, one))
    return [_meeting(members, len(own), world_size) for members in found.values()]


def align(meetings: Sequence[Meeting], ranks: int) -> Clocks | None:
    """A collective ends on all ranks at nearly the same moment, however differently they started; None when ranks share none.

    Where no collective is on every rank, ranks are aligned one after another by what each shares with one that is; a rank that shares
    nothing keeps its own clock.
    """
    everywhere = [each.ends for each in meetings if len(each.ranks) == ranks]
    if ranks < 2:
        return None
    if not everywhere:
        return _align_by_groups([each for each in meetings if len(each.ranks) > 1], ranks)
    ends = np.array(everywhere, np.int64)
    late = (ends - ends[:, :1]).astype(np.float64)
    offset = -np.median(late, axis=0)
    return Clocks(offset, float(np.percentile(np.abs(late + offset), 95)), len(ends))


def measured_clocks(profiles: Sequence[Profile]) -> Clocks | None:
    """What the capture has measured between ranks, where all of them say so; their times are on the first one's clock already."""
    told = [profile.environment.get(CLOCK_ERROR, "") for profile in profiles]
    if len(profiles) < 2 or not all(each.isdecimal() for each in told):
        return None
    return Clocks(np.zeros(len(profiles)), float(max(map(int, told))), 0)


def _align_by_groups(meetings: Sequence[Meeting], ranks: int) -> Clocks | None:
    if not meetings:
        return None
    late: dict[int, dict[int, list[int]]] = {rank: {} for rank in range(ranks)}
    for meeting in meetings:
        first = meeting.ranks[0]
        for rank, end in zip(meeting.ranks[1:], meeting.ends[1:], strict=True):
            late[first].setdefault(rank, []).append(end - meeting.ends[0])
            late[rank].setdefault(first, []).append(meeting.ends[0] - end)
    offset = np.zeros(ranks)
    seen: set[int] = set()
    groups = 0
    for root in range(ranks):
        queue = deque([root] if root not in seen else [])
        groups += len(queue)
        seen.add(root)
        while queue:
            rank = queue.popleft()
            for other, differences in late[rank].items():
                if other not in seen:
                    seen.add(other)
                    offset[other] = offset[rank] - float(np.median(differences))
                    queue.append(other)
    left = [
        abs(end - meeting.ends[0] + float(offset[rank] - offset[meeting.ranks[0]]))
        for meeting in meetings
        for rank, end in zip(meeting.ranks[1:], meeting.ends[1:], strict=True)
    ]
    return Clocks(offset, float(np.percentile(left, 95)), len(meetings), groups)


def latest_starts(meetings: Sequence[Meeting], clocks: Clocks) -> list[tuple[Meeting, int, int]]:
    """Of collectives whose ranks are all here: when the last came, on the first rank's clock, and the place of that rank."""
    found: list[tuple[Meeting, int, int]] = []
    shifts = [clocks.shift(rank) for rank in range(len(clocks.offset_ns))]
    for meeting in meetings:
        if meeting.complete and len(meeting.ranks) > 1:
            moment, rank = max((start + shifts[rank], -rank) for rank, start in zip(meeting.ranks, meeting.starts, strict=True))
            found.append((meeting, moment, -rank))
    return found


def wait_ends(profiles: Sequence[Profile], latest: Sequence[tuple[Meeting, int, int]], clocks: Clocks) -> list[Int64]:
    """Per rank until when each span only waited, on the rank's own clock; the start of time where nothing is known."""
    found = [np.full(len(profile.spans), np.iinfo(np.int64).min) for profile in profiles]
    shifts = [clocks.shift(rank) + profile.base_ns for rank, profile in enumerate(profiles)]
    for meeting, moment, _ in latest:
        for rank, row in zip(meeting.ranks, meeting.rows, strict=True):
            found[rank][row] = moment - shifts[rank]
    return found


@dataclass(frozen=True, slots=True)
class Gathered:
    """All communication of a session, tied between its ranks."""

    own: list[list[Own]]  # by rank
    meetings: list[Meeting]
    clocks: Clocks | None  # None when no collective is on every rank
    latest: list[tuple[Meeting, int, int]]  # of those whose ranks are all here: when the last came, and which rank that was
    world_size: int  # NONE when no file tells


def gather(profiles: Sequence[Profile], steps: Sequence[Steps]) -> Gathered:
    """Ties the communication of all ranks; takes a pass over the collectives of each."""
    own = [own_collectives(profile, of_rank) for profile, of_rank in zip(profiles, steps, strict=True)]
    own = _within_stages(own, labelled_stages(profiles))
    world = max((profile.world_size for profile in profiles), default=NONE)
    meetings = meet(own, world)
    clocks = align(meetings, len(profiles)) or measured_clocks(profiles)
    return Gathered(own, meetings, clocks, latest_starts(meetings, clocks) if clocks else [], world)


def labelled_stages(profiles: Sequence[Profile]) -> tuple[int, ...]:
    """The stage of a pipeline that labels in the file give to each rank; empty where not every rank has one."""
    told = [profile.environment.get("pipeline_parallel_rank", "") for profile in profiles]
    return tuple(map(int, told)) if told and all(each.isdecimal() for each in told) else ()


def _within_stages(own: list[list[Own]], stages: tuple[int, ...]) -> list[list[Own]]:
    """Where labels tell stages and nothing tells groups, ranks reduce and gather within their stage."""
    if len(set(stages)) < 2:
        return own
    sizes = Counter(stages)
    return [
        [one if one.group or one.name in PAIRED else replace(one, group=f"stage {stage}", size=sizes[stage]) for one in each]
        for each, stage in zip(own, stages, strict=True)
    ]


def _rows(profile: Profile) -> Int64:
    """Communication on streams; on threads only when no stream has any, since there it would be told twice."""
    spans = profile.spans
    if not len(spans):
        return np.zeros(0, np.int64)
    owning = np.array([track.role in (TrackRole.THREAD, TrackRole.STREAM) for track in profile.tracks])
    streams = np.array([track.role == TrackRole.STREAM for track in profile.tracks])
    rows = np.flatnonzero(spans.kind == SpanKind.COLLECTIVE)
    rows = rows[owning[spans.track[rows]]]
    on_streams = streams[spans.track[rows]]
    return rows[on_streams] if on_streams.any() else rows


def _step_numbers(profile: Profile, steps: Steps | None, rows: Int64) -> Int64 | None:
    """The number of the step of each row, where the file itself numbers steps and no number comes twice."""
    if steps is None or steps.source.family not in _NUMBERED or len(np.unique(steps.number)) < len(steps.number):
        return None
    places = step_of_spans(profile, steps, rows)
    return np.where(places >= 0, steps.number[np.maximum(places, 0)], NONE)


def _types(profile: Profile, rows: Int64) -> list[str]:
    numbers: list[int] = profile.spans.op[rows].tolist()
    return [profile.ops[number].type if number >= 0 else "" for number in numbers]


def _each(profile: Profile, rows: Int64, numbers: Int64 | None) -> Iterator[Own]:
    """The facts of each row; whole columns become lists at once, since there may be a hundred thousand."""
    spans, table, names, ops = profile.spans, profile.collectives, profile.names, profile.ops
    place = _places(table.row, rows)
    group, name, size, sequence = (_column(of, place) for of in (table.group, table.name, table.group_size, table.sequence))
    peer = _column(table.peer, place)
    start: list[int] = (spans.start[rows] + profile.base_ns).tolist()
    end: list[int] = (spans.end[rows] + profile.base_ns).tolist()
    span_name: list[int] = spans.name[rows].tolist()
    op: list[int] = spans.op[rows].tolist()
    step: list[int] = numbers.tolist() if numbers is not None else [NONE] * len(rows)
    where: list[int] = place.tolist()
    for at, row in enumerate(rows.tolist()):
        called = names[name[at] if name[at] >= 0 else span_name[at]]
        yield Own(
            row=row,
            done=NONE,
            start=start[at],
            end=end[at],
            group=_group(names[group[at]] if group[at] >= 0 else "", called, profile.rank, peer[at]),
            name=called,
            size=size[at] if size[at] > 0 else NONE,
            sequence=sequence[at],
            place=where[at],
            step=step[at],
            label=called if sequence[at] != NONE or op[at] < 0 else f"{called} {ops[op[at]].name}",
        )


def _group(group: str, name: str, rank: int, peer: int) -> str:
    """A group in which many ranks send is as many groups as there are pairs of ranks that send to each other."""
    if name not in PAIRED or NONE in (rank, peer):
        return group
    return f"{group} {min(rank, peer)}-{max(rank, peer)}"


def _places(table_rows: Int32, rows: Int64) -> Int64:
    """Where each row is in the table, NONE where it is not."""
    if not len(table_rows):
        return np.full(len(rows), NONE, np.int64)
    order = np.argsort(table_rows, kind="stable")
    at = order[np.minimum(np.searchsorted(table_rows[order], rows), len(order) - 1)]
    return np.where(table_rows[at] == rows, at, NONE)


def _column(column: Int32 | Int64, place: Int64) -> list[int]:
    return np.where(place >= 0, column[np.maximum(place, 0)], NONE).tolist() if len(column) else [NONE] * len(place)


def _labels_by_step(own: Sequence[Sequence[Own]]) -> set[tuple[str, str]]:
    """What comes equally often in each step on every rank that has it: there a rank that recorded more steps moves nothing."""
    counts: dict[tuple[str, str], dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for rank, each in enumerate(own):
        for one in each:
            if one.sequence == NONE:
                counts[one.group, one.label][rank][one.step] += 1
    return {label for label, ranks in counts.items() if _agree(list(ranks.values()))}


def _agree(ranks: Sequence[Counter[int]]) -> bool:
    if any(NONE in each for each in ranks):
        return False
    common = [step for step in ranks[0] if all(step in each for each in ranks)]
    return bool(common) and all(len({each[step] for each in ranks}) == 1 for step in common)


def _key(one: Own, by_step: set[tuple[str, str]], counted: Counter[tuple[str, str, int]]) -> Key:
    if one.sequence != NONE:
        return (one.group, one.name, NONE, one.sequence)
    step = one.step if (one.group, one.label) in by_step else NONE
    count = counted[one.group, one.label, step]
    counted[one.group, one.label, step] += 1
    return (one.group, one.label, step, count)


def _pairs(own: Sequence[Sequence[Own]]) -> dict[str, list[int]]:
    """The ranks of each group in which ranks send to each other."""
    found: dict[str, set[int]] = {}
    for rank, each in enumerate(own):
        for one in each:
            if one.name in PAIRED:
                found.setdefault(one.group, set()).add(rank)
    return {group: sorted(ranks) for group, ranks in found.items()}


def _paired_key(one: Own, rank: int, pairs: dict[str, list[int]], counted: Counter[tuple[str, str, int]]) -> Key:
    """What one of two ranks sends, the other receives, in the same order; in a larger group nothing tells who receives it."""
    ranks = pairs[one.group]
    if len(ranks) == 2:
        sender = rank if one.name == "send" else ranks[1 - ranks.index(rank)]
        label = f"{PAIRED[0]} of {sender}"
    else:
        label = f"{one.name} of {rank} alone"
    count = counted[one.group, label, NONE]
    counted[one.group, label, NONE] += 1
    return (one.group, label, NONE, count)


def _meeting(members: Sequence[tuple[int, Own]], ranks: int, world_size: int) -> Meeting:
    """A rank that has one key twice, which a damaged file may, is here once."""
    first = dict(reversed(members))
    places = tuple(sorted(first))
    size = max(one.size for one in first.values())
    wanted = size if size != NONE else max(world_size, ranks)
    paired = any(one.name in PAIRED for one in first.values())
    return Meeting(
        ranks=places,
        rows=tuple(first[rank].row for rank in places),
        starts=tuple(first[rank].start for rank in places),
        ends=tuple(first[rank].end for rank in places),
        complete=len(places) >= (2 if paired else wanted),
        paired=paired,
    )
