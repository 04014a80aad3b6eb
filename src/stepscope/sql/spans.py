"""The table of spans: every span of every profile, on the columns of the profile itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope.model import declared as d
from stepscope.model.errors import TooMuch
from stepscope.model.profile import NONE, SpanKind, TrackRole
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Rank, Worker
from stepscope.session.part import Wanted
from stepscope.session.reader import SessionOfRun
from stepscope.sql.arrow_rows import utf8
from stepscope.sql.packages import pyarrow
from stepscope.sql.profiles import SessionColumns, each_readable, session_columns
from stepscope.sql.table import Reading, Table

MOST_SPANS = 50_000_000
"""Spans that a query reads."""


class SpanTableRow(Struct, frozen=True):
    """One span of a thread, a stream, or a track that is drawn beside them."""

    worker: Worker
    rank: Rank
    process: Annotated[str, d.text("`host`, or the device, such as `GPU 0`.")]
    track: Annotated[str, d.text("Thread or stream.")]
    role: Annotated[str, d.text("thread, stream, derived, marker or counter; only threads and streams own time.")]
    name: Annotated[str, d.text("Name of the span.")]
    kind: Annotated[str, d.text("Span category, such as op, kernel, copy or collective.")]
    op: Annotated[str | None, d.text("Operation that it belongs to; null when unknown.")]
    step: Annotated[int | None, d.step("Step in which it starts; null outside of steps.")]
    start_ns: Annotated[int, d.number("Start, from the start of the profile.", "ns")]
    end_ns: Annotated[int, d.number("End, from the start of the profile.", "ns")]
    duration_ns: Annotated[int, d.number("Duration, with what runs inside it.", "ns")]
    depth: Annotated[int, d.number("Line on its track that it is drawn on.", "line")]
    row: Annotated[int, d.number("Row in the profile, as links to the trace name it.", "row")]
    parent: Annotated[int | None, d.number("Row of the span around it on its track; null at the top.", "row")]
    cause: Annotated[int | None, d.number("Row of the span that launched it; null when unknown.", "row")]


_KINDS = (SessionColumns, SpanTableRow)


class _Columns:
    """Arrow columns over the arrays of a profile: numbers are shared, and text is written once and pointed to."""

    def __init__(self) -> None:
        self.arrow = pyarrow()
        words = self.arrow.dictionary(self.arrow.int32(), self.arrow.string())
        int64, int32, int16 = self.arrow.int64(), self.arrow.int32(), self.arrow.int16()
        types = (words, words, words, words, int32, words, words, words, words, words, words, int64, int64, int64, int64, int16)
        rest = (int32, int32, int32)
        names = [name for kind in _KINDS for name in kind.__struct_fields__]
        self.schema = self.arrow.schema(list(zip(names, (*types, *rest), strict=True)))

    def batch(self, found: SessionOfRun, session: AnalysedSession, place: int) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """The spans of one worker."""
        profile, spans = session.profiles[place], session.profiles[place].spans
        whose, count = session_columns(found), len(spans)
        tracks, first = profile.tracks, profile.window[0]
        rows = np.arange(count, dtype=np.int32)
        steps = session.breakdown(place).steps if count else None
        columns = [
            self._same(whose.run, count),
            self._same(whose.session, count),
            self._same(whose.session_id, count),
            self._same(session.workers[place], count),
            self._numbers(np.full(count, profile.rank, np.int32)),
            self._words(spans.track, [track.process for track in tracks]),
            self._words(spans.track, [track.name for track in tracks]),
            self._words(spans.track, [TrackRole(track.role).name.lower() for track in tracks]),
            self._words(spans.name, profile.names),
            self._words(spans.kind, [kind.name.lower() for kind in SpanKind]),
            self._words(spans.op, [operation.name for operation in profile.ops]),
            self._steps(spans.start, None if steps is None else steps.bounds, None if steps is None else steps.number),
            self.arrow.array(spans.start - first),
            self.arrow.array(spans.end - first),
            self.arrow.array(spans.end - spans.start),
            self.arrow.array(spans.depth),
            self.arrow.array(rows),
            self._numbers(spans.parent),
            self._numbers(spans.cause),
        ]
        return self.arrow.RecordBatch.from_arrays(columns, schema=self.schema)

    def _same(self, word: str, count: int) -> Any:  # noqa: ANN401 - pyarrow carries no types
        return self._words(np.zeros(count, np.int32), [word])

    def _words(self, codes: NDArray[Any], words: Sequence[str]) -> Any:  # noqa: ANN401 - pyarrow carries no types
        dictionary = self.arrow.array([utf8(word) for word in words], self.arrow.string())
        return self.arrow.DictionaryArray.from_arrays(self._numbers(codes.astype(np.int32, copy=False)), dictionary)

    def _numbers(self, numbers: NDArray[Any]) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """The numbers, where NONE is null."""
        missing = numbers == NONE
        return self.arrow.array(numbers, mask=missing if missing.any() else None)

    def _steps(self, start: NDArray[np.int64], bounds: NDArray[np.int64] | None, number: NDArray[np.int64] | None) -> Any:  # noqa: ANN401
        if bounds is None or number is None or not len(number):
            return self.arrow.nulls(len(start), self.arrow.int64())
        place = np.searchsorted(bounds, start, side="right") - 1
        outside = (place < 0) | (place >= len(number))
        return self.arrow.array(number[np.clip(place, 0, len(number) - 1)], mask=outside)


def _read(reading: Reading) -> Any:  # noqa: ANN401 - pyarrow carries no types
    columns = _Columns()
    batches: list[Any] = []
    sessions = reading.reads.sessions
    spans = 0
    for found, session in each_readable(reading, lambda one, on_file: sessions.analysed(one.timed(), Wanted(), on_file)):
        for place in range(len(session.profiles)):
            reading.checkpoint()
            spans += len(session.profiles[place].spans)
            if spans > MOST_SPANS:
                raise TooMuch(f"The profiles have more than {MOST_SPANS:,} spans; choose runs.", "too_many_spans")
            batches.append(columns.batch(found, session, place))
    return columns.arrow.Table.from_batches(batches, schema=columns.schema)


SPANS = Table("spans", "Every span of profiles.", _KINDS, _read)
