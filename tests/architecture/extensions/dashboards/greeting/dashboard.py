"""The route of the Greeting tab: how many runs there are to greet."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Dashboard, NoFields, Role, Route


class Greeting(Struct, frozen=True):
    """The answer."""

    runs: int


def greet(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> Greeting:
    """Counts the runs."""
    return Greeting(len(context.reads.library.snapshot.runs))


GREETING = Dashboard(
    "greeting", "Greeting", frozenset(), (Route("GET", "/greeting", Role.VIEWER, "Greeting", greet, NoFields, Greeting),)
)
