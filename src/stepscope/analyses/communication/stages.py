"""Stages of a pipeline: ranks that do the same work, known by their labels or by the groups in which they communicate."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.analyses.communication.matching import PAIRED, Own, labelled_stages
from stepscope.model.profile import Profile


def stages_of(own: Sequence[Sequence[Own]], profiles: Sequence[Profile] = ()) -> tuple[int, ...]:
    """A number for each rank, the same for ranks of one stage; all 0 where no rank sends to another.

    Where the profiles carry labels of stages, these decide.

    Ranks of one stage share a group that is not everybody's and in which they reduce or gather: tensor and data parallel groups. Ranks
    that send to each other are of different stages.
    """
    ranks = len(own)
    if labels := labelled_stages(profiles):
        return labels
    sends = [{one.group for one in each if one.name in PAIRED} for each in own]
    if not any(sends):
        return (0,) * ranks
    together: dict[str, list[int]] = {}
    for rank, each in enumerate(own):
        for group in {one.group for one in each if one.name not in PAIRED and one.group}:
            together.setdefault(group, []).append(rank)
    stage = list(range(ranks))
    for members in sorted((each for each in together.values() if 1 < len(each) < ranks), key=len):
        if any(sends[first] & sends[second] for first in members for second in members if first < second):
            continue
        least = min(stage[rank] for rank in members)
        merged = {stage[rank] for rank in members}
        stage = [least if one in merged else one for one in stage]
    numbers = {one: place for place, one in enumerate(dict.fromkeys(stage))}
    return tuple(numbers[one] for one in stage)
