"""Route of the span categories: which names of spans mean what, the user's own first."""

from __future__ import annotations

from collections.abc import Mapping

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import NoFields, Role, Route
from stepscope.queries.span_categories import SpanCategories, span_categories


def profile_kinds(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> SpanCategories:
    """The categories of spans by their names."""
    return span_categories(context.reads.library.profiles.kind_table())


KINDS_ROUTE = Route("GET", "/profile/kinds", Role.VIEWER, "Span categories", profile_kinds, NoFields, SpanCategories)
