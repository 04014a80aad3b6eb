"""What the stream of live updates carries: one struct that has every event by its name."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.dashboards.delta import Delta
from stepscope.dashboards.folder_routes import Folder
from stepscope.dashboards.job_routes import JobsAnswer
from stepscope.dashboards.route import NoFields
from stepscope.model import declared as d


class LiveEvents(Struct, frozen=True):
    """The events of `GET /live` by name; the stream sends them one at a time."""

    hello: Annotated[Folder, d.nested("Sent first, and after every reconnection.")]
    delta: Annotated[Delta, d.nested("What is new since the last event, at most four times a second.")]
    jobs: Annotated[JobsAnswer, d.nested("The user's jobs, whenever one of them changed.")]
    ping: Annotated[NoFields, d.nested("Every 15 seconds, so that silence means a dead connection.")]
