"""What a run has logged beside its profile: hyperparameters, the time of its steps, and its epochs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from stepscope.model.kinds import Kind
from stepscope.queries.epoch_series import EpochRun, EpochSeries, epoch_runs, epoch_series
from stepscope.queries.folding import parent_name
from stepscope.queries.hyperparameters import hyperparameters
from stepscope.queries.step_times import StepTimes, step_times
from stepscope.queries.view import ROLES
from stepscope.store.library import Library, RunRecord


@dataclass(frozen=True, slots=True)
class RunLogs:
    """The logs of the run that a session belongs to, read when they are asked for."""

    library: Library
    run: RunRecord
    session: str

    def hyperparameters(self) -> dict[str, str]:
        """As the run has logged them; empty when it has not."""
        return hyperparameters(file.path for file in self.run.files)

    def step_times(self) -> StepTimes | None:
        """The seconds of its training steps, logged in its own folder or in the one for training inside; None when it has none."""
        return next((times for run in self._training_runs() if (times := step_times(self.library, run)) is not None), None)

    def epoch_runs(self) -> list[EpochRun]:
        """Runs that have logged epochs, those that belong to the session first."""
        return epoch_runs(self.library, self.session)

    def epoch_run(self) -> EpochRun | None:
        """The nearest run that has logged epochs; None when none that belongs to the session has."""
        return next((run for run in self.epoch_runs() if run.near), None)

    def epoch_series(self, run: EpochRun) -> EpochSeries:
        """Everything that a run has logged of its epochs."""
        return epoch_series(self.library, run)

    def graphs(self) -> list[tuple[str, str, Kind, int, int]]:
        """Where graphs are that the run has logged: path, tag, kind, offset and length of the last of each series."""
        found: list[tuple[str, str, Kind, int, int]] = []
        for file in (file for run in self._training_runs() for file in run.files):
            events = file.events
            for index in events.series_of_kinds([Kind.GRAPH, Kind.RUN_METADATA]):
                _, _, offsets, lengths = events.blobs(index)
                if len(offsets):
                    tag = self.library.names.name(int(events.tag_ids(index)[0])).decode("utf-8", "replace")
                    kind = Kind(int(events.kinds(index)[0]))
                    found.append((file.path, tag, kind, int(offsets[-1]), int(lengths[-1])))
        return found

    @property
    def stamp(self) -> Hashable:
        """Changes with what is logged in the run's own files and in those of runs that belong to it."""
        near = [run.record for run in self.epoch_runs() if run.near]
        records = (*self._training_runs(), *near)
        files = {file.path: (file.size, file.modified, file.inode) for record in records for file in record.files}
        return tuple(sorted(files.items()))

    def _training_runs(self) -> list[RunRecord]:
        """The run itself, and the run for training in its folder: Keras logs there what belongs to a profile in the folder above."""
        inside = (run for run in self.library.snapshot.runs if run.root == self.run.root and parent_name(run.name) == self.run.name)
        return [self.run, *(run for run in inside if ROLES.get(run.name.rpartition("/")[2]) == "train")]
