"""The route of the rows of ranks: for each column of a window, what share of a rank's time each group of the breakdown owns."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Meta, Struct

from stepscope.analyses.timeline.time_rows import OWNERS, TimeRow, column_shares, time_row
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.dashboards.profile.part_routes import WAIT_SECONDS, ReadingRow
from stepscope.dashboards.route import Frame, FrameOf, Role, Route
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, StepscopeError
from stepscope.model.shared_columns import Epoch
from stepscope.session.analysed import AnalysedSession
from stepscope.session.part import Answer, Files, Part, StepsText, Wanted
from stepscope.session.reader import Reading, SessionOfRun, SessionReader
from stepscope.session.trace_window import EndUs, StartUs, check_window, exact_window_ns

MOST_RANKS = 16
"""In one question: each is a job of its own, and other users of the server must find room beside them."""
_LONGEST_WORKERS = 16_000


class RankTilesRequest(Struct, frozen=True, kw_only=True):
    """The window, by the clock of each rank, and how finely it is drawn."""

    workers: Annotated[str, Meta(max_length=_LONGEST_WORKERS, description=f"Workers, one a line; at most {MOST_RANKS}.")]
    steps: StepsText = ""
    start_us: StartUs
    end_us: EndUs
    columns: Annotated[int, Meta(ge=1, le=8_000, description="Columns that the window is drawn in, such as pixels.")]


class RankColumns(Struct, frozen=True):
    """Shares of each column's time, from 0 to 255 (all of it). What is left in the profile is untraced."""

    compute: Annotated[Placed, d.binary("u8", "A kernel runs; on a CPU, an operation of 10 µs or more.", "1/255")] = UNSET
    communication: Annotated[Placed, d.binary("u8", "A collective runs and nothing computes.", "1/255")] = UNSET
    copy: Annotated[Placed, d.binary("u8", "Memory is copied or filled and nothing computes or communicates.", "1/255")] = UNSET
    input_wait: Annotated[Placed, d.binary("u8", "The step waits for the next batch.", "1/255")] = UNSET
    host: Annotated[Placed, d.binary("u8", "The device is idle while the threads that control it are busy.", "1/255")] = UNSET


class RankTile(Struct, frozen=True):
    """One rank in the window."""

    worker: Annotated[str, d.text("The worker.")]
    columns: Annotated[RankColumns, d.nested("Its shares.")]


class RankProblem(Struct, frozen=True):
    """A rank whose file could not be read."""

    worker: Annotated[str, d.text("The worker.")]
    reason: Annotated[str, d.text("Why not.")]


class RankTilesHeader(Struct, frozen=True, kw_only=True):
    """Header of the frame. Ranks that are still being read are left out: ask again for those."""

    epoch: Epoch
    reading: Annotated[ReadingRow | None, d.nested("How far reading has come; null when every rank is here.")] = None
    ranks: Annotated[list[RankTile], d.nested("Ranks that have been read, in the order that was asked for.")] = []
    problems: Annotated[list[RankProblem], d.nested("Ranks that cannot be read.")] = []


def rank_tiles(context: RequestContext, request: RankTilesRequest, path: Mapping[str, str]) -> Frame:
    """What owns the time of some ranks in a window, each by its own clock."""
    workers = _workers(request.workers)
    check_window(request.start_us, request.end_us)
    reader, epoch = context.reads.sessions, context.reads.library.snapshot.epoch
    found = reader.find(path["session"]).timed()
    pending, problems = _read(reader, found, workers, request.steps)
    builder = FrameBuilder()
    tiles: list[RankTile] = []
    for worker in workers:
        if worker in pending or worker in problems:
            continue
        session = reader.analysed(found.only(worker), Wanted(steps=request.steps))
        window = exact_window_ns(session.profiles[0], request.start_us, request.end_us)
        shares = column_shares(_row(session), window, request.columns)
        columns = {group.key: share for group, share in zip(OWNERS, shares, strict=True)}
        tiles.append(RankTile(worker, builder.add(RankColumns, columns)))
    header = RankTilesHeader(
        epoch=epoch,
        reading=_together(list(pending.values()), len(workers)) if pending else None,
        ranks=tiles,
        problems=[RankProblem(worker, reason) for worker, reason in problems.items()],
    )
    return Frame(builder.finish(header), tile=True)


def _workers(text: str) -> list[str]:
    """Each once, in order. Raises BadInput."""
    found = list(dict.fromkeys(line for line in text.split("\n") if line))
    if not found:
        raise BadInput("Give at least one worker in workers, one per line.", "bad_workers")
    if len(found) > MOST_RANKS:
        raise BadInput(f"{len(found)} workers are too many; ask for at most {MOST_RANKS} at once.", "bad_workers")
    return found


def _read(reader: SessionReader, found: SessionOfRun, workers: list[str], steps: str) -> tuple[dict[str, Reading], dict[str, str]]:
    """Has each rank read by itself, so that only those on screen are; answers those that are still read, and why others cannot be."""
    until = time.monotonic() + WAIT_SECONDS
    problems: dict[str, str] = {}

    def ask(worker: str, seconds: float) -> Reading | None:
        try:
            answer = reader.ask(_TIME_ROW, found, Wanted(worker=worker, steps=steps), seconds)
        except StepscopeError as error:
            problems[worker] = error.message
            return None
        return answer if isinstance(answer, Reading) else None

    begun = [worker for worker in workers if ask(worker, 0.0) is not None]  # all are begun before any is waited for
    waited = {worker: ask(worker, max(0.0, until - time.monotonic())) for worker in begun}
    return {worker: reading for worker, reading in waited.items() if reading is not None}, problems


def _together(readings: list[Reading], files: int) -> ReadingRow:
    return ReadingRow(
        files_done=files - len(readings),
        files=files,
        bytes_done=sum(each.bytes_done for each in readings),
        bytes=sum(each.bytes for each in readings),
        analysing=all(each.analysing for each in readings),
        seconds=max(each.seconds for each in readings),
    )


def _row(session: AnalysedSession) -> TimeRow:
    return session.once("time row", lambda: time_row(session.profiles[0], session.breakdown()))


def _made(session: AnalysedSession, _: Wanted) -> Answer:
    _row(session)
    return Answer()


_TIME_ROW = Part("time_row", "Row of a rank", Wanted, Answer, _made, files=Files.ONE, passing=True)
"""Not a part that anybody asks for: it has the row made in the background, as parts are."""

RANK_TILES_ROUTE = Route(
    "GET",
    "/profile/{session}/rank_tiles",
    Role.VIEWER,
    "Time breakdown of ranks in a window",
    rank_tiles,
    RankTilesRequest,
    FrameOf(RankTilesHeader),
)
