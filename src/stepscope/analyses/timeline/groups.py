"""The group of time that each span belongs to by its own label, as colours of a trace show it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.time_classes import GROUP_OF, Group, classify
from stepscope.model.profile import Profile
from stepscope.model.steps import Steps

Uint8: TypeAlias = NDArray[np.uint8]

NO_GROUP = len(Group)
"""Of spans that own no time of a step: annotations around others, markers, and threads that the step does not depend on."""

_LABELS = 1 << 8


def span_groups(profile: Profile, steps: Steps) -> Uint8:
    """A Group for every span, or NO_GROUP."""
    table = np.full(_LABELS, NO_GROUP, np.uint8)
    for time_class, group in GROUP_OF.items():
        table[time_class] = group
    return table[classify(profile, steps).label.view(np.uint8)]
