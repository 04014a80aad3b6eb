"""From a request to who asks: the one place that makes the context of a request and checks the role."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import HTTPConnection

from stepscope.dashboards.context import Project, RequestContext
from stepscope.model.errors import Refused
from stepscope.model.user import LOCAL_USER, Role, User

Who = Callable[[HTTPConnection], User]
"""Finds out who sent a request."""


def local_user(_: HTTPConnection) -> User:
    """Without sign-in everybody who reaches the server is the user who runs it."""
    return LOCAL_USER


def request_context(request: HTTPConnection, project: Project, who: Who, needed: Role) -> RequestContext:
    """The context of a request. Raises Refused when the user's role is lower than the one needed."""
    user = who(request)
    if user.role < needed:
        raise Refused("You do not have permission; ask the person who runs the server.", "role")
    return RequestContext(user, project)
