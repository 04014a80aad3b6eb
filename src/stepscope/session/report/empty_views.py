"""Which views of a profile have nothing to show because the file has nothing for them."""

from __future__ import annotations

from collections.abc import Callable

from stepscope.analyses.memory.ledger import ledgers
from stepscope.analyses.work.modules import has_modules
from stepscope.model.profile import Profile
from stepscope.session.analysed import AnalysedSession


def empty_views(session: AnalysedSession) -> list[str]:
    """Ids of parts: `memory`, `counters`, `modules`."""
    has: dict[str, Callable[[Profile], bool]] = {"memory": _has_memory, "counters": _has_counters, "modules": has_modules}
    return [part for part, found in has.items() if not any(found(profile) for profile in session.profiles)]


def _has_counters(profile: Profile) -> bool:
    return len(profile.counters.time) > 0


def _has_memory(profile: Profile) -> bool:
    """Plans of compiled programs count: the view shows them. Ledgers are made only where they come from counters."""
    if profile.programs or profile.memory_snapshot is not None or len(profile.allocations.time):
        return True
    return _has_counters(profile) and bool(ledgers(profile))
