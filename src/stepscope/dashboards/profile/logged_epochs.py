"""Epochs and step times as runs have logged them: for folders without any profile, and for runs that no profile belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Role, Route
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, RunKey
from stepscope.queries.epoch_series import epoch_runs, epoch_series, find_run
from stepscope.session.epoch_rows import LoggedEpochs, logged_epochs

MOST_EPOCHS = 2_000
MOST_RUNS = 1_000


class LoggedEpochsRequest(Struct, frozen=True):
    """The session whose runs come first, and the run whose epochs are wanted."""

    session: Annotated[str, Meta(max_length=64, description="Id of a session, whose runs come first; empty: all runs belong.")] = ""
    run: Annotated[str, Meta(max_length=64, description="Id of a run; empty: the nearest that belongs to the session.")] = ""


class LoggedRun(Struct, frozen=True):
    """A run that has logged epochs."""

    run: RunKey
    run_name: Annotated[str, d.text("Name of the run.")]
    near: Annotated[bool, d.flag("Whether it belongs to the session: the same folder, one inside the other, or side by side.")]


class LoggedEpochsAnswer(Struct, frozen=True):
    """Runs that have logged epochs, nearest first, and the epochs of one of them."""

    epoch: Epoch
    runs: Annotated[list[LoggedRun], d.nested("The runs; of very many the nearest.")]
    total: Annotated[int, d.count("Number of runs that have logged epochs.")]
    logged: Annotated[LoggedEpochs | None, d.nested("Epochs of the run; null when no run belongs to the session.")]


def profile_epochs(context: RequestContext, request: LoggedEpochsRequest, _: Mapping[str, str]) -> LoggedEpochsAnswer:
    """Epochs as runs have logged them; no profile is read. Raises NotThere for a session or run that does not exist."""
    library = context.reads.library
    found = epoch_runs(library, request.session)
    wanted = find_run(library, request.run) if request.run else next((run for run in found if run.near), None)
    return LoggedEpochsAnswer(
        epoch=library.snapshot.epoch,
        runs=[LoggedRun(run.id, run.name, run.near) for run in found[:MOST_RUNS]],
        total=len(found),
        logged=None if wanted is None else logged_epochs(wanted, epoch_series(library, wanted), MOST_EPOCHS),
    )


EPOCHS_ROUTE = Route(
    "GET",
    "/profile/epochs",
    Role.VIEWER,
    "Epochs that runs have logged",
    profile_epochs,
    LoggedEpochsRequest,
    LoggedEpochsAnswer,
)
