"""Batches of a server of language models, as vLLM and SGLang annotate them: prefill and decode, and what they take for each token."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import Float64, Int64, Profile, TrackRole
from stepscope.model.span_names import NameRole


class Phase(StrEnum):
    """What a batch does."""

    PREFILL = "prefill"
    DECODE = "decode"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class ServedBatch:
    """What one annotation says of its batch; None where it does not."""

    phase: Phase
    prefilled: int  # requests whose prompt it reads
    decoded: int  # requests that get one token each
    prompt_tokens: int | None


@dataclass(frozen=True, slots=True)
class PhaseTimes:
    """All batches of one phase; times in nanoseconds."""

    batches: int
    requests: float  # in a batch, mean
    median_ns: float  # from its start until its last work has ended
    p95_ns: float


@dataclass(frozen=True, slots=True)
class Serving:
    """One process's batches."""

    prefill: PhaseTimes | None
    decode: PhaseTimes | None
    mixed: PhaseTimes | None
    first_token_ns: float | None  # the median prefill: a request gets its first token no sooner, and waiting before it is not annotated
    output_token_ns: float | None  # from one token of a request to its next: the median from decode to decode
    output_tokens_per_second: float | None  # of decodes, over the time from the first to the last batch
    prompt_tokens_per_second: float | None


def serving(profile: Profile) -> Serving | None:
    """None where no annotation tells of batches."""
    spans = profile.spans
    rows = rows_of_role(profile, TrackRole.THREAD)
    names: list[int] = np.unique(spans.name[rows]).tolist()
    told = {name: found for name in names if (found := _told(profile, profile.names[name])) is not None}
    rows = rows[np.isin(spans.name[rows], list(told))]
    if not len(rows):
        return None
    rows = rows[spans.track[rows] == np.bincount(spans.track[rows]).argmax()]
    batches = [told[int(name)] for name in spans.name[rows]]
    length = _until_done(profile, rows)
    phases = {phase: _times(batches, length, phase) for phase in Phase}
    window = float((spans.start[rows] + length).max() - spans.start[rows].min()) / 1e9
    tokens = sum(batch.decoded for batch in batches)
    prompts = [batch.prompt_tokens for batch in batches if batch.prefilled]
    prefill = phases[Phase.PREFILL]
    return Serving(
        prefill=prefill,
        decode=phases[Phase.DECODE],
        mixed=phases[Phase.MIXED],
        first_token_ns=prefill.median_ns if prefill is not None else None,
        output_token_ns=_between_tokens(spans.start[rows], batches),
        output_tokens_per_second=tokens / window if window > 0 and tokens else None,
        prompt_tokens_per_second=sum(each or 0 for each in prompts) / window if window > 0 and prompts and all(prompts) else None,
    )


def _told(profile: Profile, name: str) -> ServedBatch | None:
    carried = profile.name_rules.carried(NameRole.SERVED_BATCH, name)
    if carried is None:
        return None
    mode, size, tokens, prefilled, prompt, decoded, new, cached = carried
    if mode:  # SGLang: step[EXTEND bs=4 toks=2048]
        decodes = mode.upper() in ("DECODE", "TARGET_VERIFY", "IDLE")
        phase = Phase.MIXED if mode.upper() == "MIXED" else Phase.DECODE if decodes else Phase.PREFILL
        count = int(size or 0)
        return ServedBatch(phase, 0 if decodes else count, count if decodes else 0, int(tokens) if tokens and not decodes else None)
    first, second = int(prefilled or new or 0), int(decoded or cached or 0)
    phase = Phase.MIXED if first and second else Phase.PREFILL if first else Phase.DECODE
    return ServedBatch(phase, first, second, int(prompt) if prompt else None)


def _until_done(profile: Profile, rows: Int64) -> Int64:
    """From each batch's start until it, and the last device work launched in it, has ended."""
    spans = profile.spans
    end = spans.end[rows].copy()
    work = rows_of_role(profile, TrackRole.STREAM)
    work = work[spans.cause[work] >= 0]
    launched = spans.start[spans.cause[work]]
    place = np.searchsorted(spans.start[rows], launched, side="right") - 1
    inside = (place >= 0) & (launched < spans.end[rows[np.maximum(place, 0)]])
    np.maximum.at(end, place[inside], spans.end[work[inside]])
    return end - spans.start[rows]


def _times(batches: list[ServedBatch], length: Int64, phase: Phase) -> PhaseTimes | None:
    places = [place for place, batch in enumerate(batches) if batch.phase is phase]
    if not places:
        return None
    took: Float64 = length[places].astype(np.float64)
    sizes = [batches[place].prefilled + batches[place].decoded for place in places]
    return PhaseTimes(len(places), float(np.mean(sizes)), float(np.median(took)), float(np.percentile(took, 95)))


def _between_tokens(start: Int64, batches: list[ServedBatch]) -> float | None:
    """Between two decodes that follow one another; a prefill between them holds decoding up and counts with it."""
    decodes = [place for place, batch in enumerate(batches) if batch.decoded]
    return float(np.median(np.diff(start[decodes]))) if len(decodes) > 1 else None
