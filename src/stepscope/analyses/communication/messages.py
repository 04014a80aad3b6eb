"""Messages of a rank that nothing hides: small ones, and those that go through the host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.senders import senders
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, Profile, TrackRole

SMALL = 1_000_000
"""Bytes; below about a megabyte the time of a collective is latency rather than bandwidth."""


@dataclass(frozen=True, slots=True)
class SmallMessages:
    """Collectives under a megabyte with time of their own in typical steps."""

    sized: int  # collectives with time of their own whose size is known
    rows: Int64
    bytes: int  # of all of them
    senders: Int64  # rows of the host's calls that send them


def small_messages(profile: Profile, breakdown: Breakdown) -> SmallMessages:
    """Of one rank."""
    table, label = profile.collectives, breakdown.classified.label
    seen = np.flatnonzero((label[table.row] == TimeClass.COMM) & (breakdown.exposed[table.row] > 0))
    sized = seen[table.in_bytes[seen] >= 0]
    small = sized[table.in_bytes[sized] < SMALL]
    rows = table.row[small].astype(np.int64)
    return SmallMessages(len(sized), rows, int(table.in_bytes[small].sum()), senders(profile, breakdown, rows))


def small_and_their_senders(profile: Profile, breakdown: Breakdown) -> Int64:
    """All small messages of a rank, exposed or not, and the calls that send them."""
    table = profile.collectives
    rows = table.row[(table.in_bytes >= 0) & (table.in_bytes < SMALL)].astype(np.int64)
    return np.concatenate([rows, senders(profile, breakdown, rows)])


def messages_through_host(profile: Profile, breakdown: Breakdown) -> Int64:
    """Collectives of one rank that threads run."""
    threads = np.array([track.role == TrackRole.THREAD for track in profile.tracks] or [False])
    return np.flatnonzero((breakdown.classified.label == TimeClass.COMM) & threads[profile.spans.track])
