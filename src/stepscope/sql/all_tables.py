"""The list of tables, in the order in which the page, help and documentation name them."""

from __future__ import annotations

from stepscope.sql.points import POINTS
from stepscope.sql.profiles import KERNELS, MEMORY, OPS, RULES, STEPS
from stepscope.sql.runs import HPARAMS, RUNS
from stepscope.sql.spans import SPANS
from stepscope.sql.table import Table

ALL_TABLES: tuple[Table, ...] = (RUNS, POINTS, HPARAMS, STEPS, OPS, KERNELS, SPANS, MEMORY, RULES)

BY_NAME = {table.name: table for table in ALL_TABLES}
