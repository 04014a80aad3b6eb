"""The tables of runs and of their hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.numbers import JsonNumber, json_number
from stepscope.queries.hparams.reader import Question
from stepscope.queries.runs import RunRow, list_runs
from stepscope.sql.arrow_rows import rows_table
from stepscope.sql.table import Reading, Table


class HparamRow(Struct, frozen=True):
    """One hyperparameter of one run. `number` or `text` has the value."""

    run: Annotated[str, d.text("Name of the run that logged it, as `runs.name`.")]
    name: Annotated[str, d.text("Name of the hyperparameter.")]
    number: Annotated[JsonNumber | None, d.as_logged("The value; null when it is no number.")]
    text: Annotated[str | None, d.text("The value; null when it is a number.")]
    run_id: Annotated[str, d.text("Id of the run, as `runs.id`.")]


def _read_runs(reading: Reading) -> Any:  # noqa: ANN401 - pyarrow carries no types
    rows = list_runs(reading.reads.views.view(), reading.states, reading.now)
    return rows_table([RunRow], [(row,) for row in rows if reading.scope.has_run(row.name)])


def _read_hparams(reading: Reading) -> Any:  # noqa: ANN401 - pyarrow carries no types
    return rows_table([HparamRow], [(row,) for row in _hparams(reading)])


def _hparams(reading: Reading) -> Iterator[HparamRow]:
    table = reading.reads.hparams.table(reading.reads.views.view(), Question())
    for place, session in enumerate(table.sessions):
        run = session.run
        if not reading.scope.has_run(run.name):
            continue
        reading.checkpoint()
        for column in table.hparams:
            number, code = float(column.numbers[place]), int(column.codes[place])
            if code >= 0:
                yield HparamRow(run.name, column.info.name, None, column.words[code], str(run.record.id))
            elif not math.isnan(number):
                yield HparamRow(run.name, column.info.name, json_number(number), None, str(run.record.id))


RUNS = Table("runs", "Runs, with status, counts and notes.", (RunRow,), _read_runs)
HPARAMS = Table("hparams", "Hyperparameters that runs logged, one row each.", (HparamRow,), _read_hparams)
