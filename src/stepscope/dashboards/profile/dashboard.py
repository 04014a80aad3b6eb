"""The Profile tab: the list of its routes, each of which is declared beside what it answers."""

from __future__ import annotations

from stepscope.dashboards.profile.html_route import HTML_ROUTES
from stepscope.dashboards.profile.logged_epochs import EPOCHS_ROUTE
from stepscope.dashboards.profile.logged_memory import LOGGED_MEMORY_ROUTES
from stepscope.dashboards.profile.part_routes import PART_ROUTES
from stepscope.dashboards.profile.rank_tiles import RANK_TILES_ROUTE
from stepscope.dashboards.profile.sessions import SESSIONS_ROUTE
from stepscope.dashboards.profile.span_kinds import KINDS_ROUTE
from stepscope.dashboards.profile.tiles import TILES_ROUTE
from stepscope.dashboards.profile.trace import TRACE_ROUTE
from stepscope.dashboards.route import Dashboard

PROFILE = Dashboard(
    id="profile",
    label="Profile",
    kinds=frozenset(),
    shows_profiles=True,
    routes=(
        SESSIONS_ROUTE,
        *PART_ROUTES,
        TILES_ROUTE,
        RANK_TILES_ROUTE,
        TRACE_ROUTE,
        *HTML_ROUTES,
        KINDS_ROUTE,
        *LOGGED_MEMORY_ROUTES,
        EPOCHS_ROUTE,
    ),
)
