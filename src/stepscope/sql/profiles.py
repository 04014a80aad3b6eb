"""The tables of profiles that parts of the analysis declare: operations, kernels, steps, memory and rules, of all sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.errors import StepscopeError
from stepscope.model.session import ProfileFile
from stepscope.queries.names import path_text
from stepscope.session.part import AnyPart, Wanted
from stepscope.session.parts.kernels import KERNELS as KERNELS_PART
from stepscope.session.parts.kernels import KernelRow, KernelsWanted
from stepscope.session.parts.memory import MEMORY as MEMORY_PART
from stepscope.session.parts.memory import MemoryWanted
from stepscope.session.parts.memory_devices import DeviceMemory
from stepscope.session.parts.ops import OPS as OPS_PART
from stepscope.session.parts.ops import OperationRow, OpsWanted
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.steps import STEPS as STEPS_PART
from stepscope.session.parts.steps import StepRow, StepsWanted
from stepscope.session.reader import SessionOfRun
from stepscope.session.report.columns import FindingRow
from stepscope.sql.arrow_rows import rows_table
from stepscope.sql.table import Reading, Table

_MEMORY_ALONE = "no_steps"


class SessionColumns(Struct, frozen=True):
    """The profile that a row belongs to."""

    run: Annotated[str, d.text("Name of the run that the profile belongs to, as `runs.name`.")]
    session: Annotated[str, d.text("Name of the profile.")]
    session_id: Annotated[str, d.text("Id of the profile.")]


def session_columns(found: SessionOfRun) -> SessionColumns:
    """Those of one session."""
    return SessionColumns(path_text(found.run.name), found.session.name, found.session.id)


def each_readable(
    reading: Reading, read: Callable[[SessionOfRun, Callable[[ProfileFile], None]], Any]
) -> Iterator[tuple[SessionOfRun, Any]]:
    """What is read of each profile; one that records memory alone has none of it, and one that cannot be read is noted."""

    def on_file(_: ProfileFile) -> None:
        reading.checkpoint()

    for found in reading.sessions():
        reading.checkpoint()
        try:
            yield found, read(found, on_file)
        except StepscopeError as problem:
            reading.checkpoint()  # a query that was cancelled ends here, and not as a note
            if problem.code == _MEMORY_ALONE:
                continue
            reading.note(f"{found.session.name} of {path_text(found.run.name)} is left out: {problem.message}")


def _part_table(
    name: str, meaning: str, part: AnyPart, wanted: Wanted, row: type[Struct], rows_of: Callable[[Any], list[Any]]
) -> Table:
    kinds = (SessionColumns, row)

    def read(reading: Reading) -> Any:  # noqa: ANN401 - pyarrow carries no types
        answers = each_readable(reading, lambda found, on_file: reading.reads.sessions.answer(part, found, wanted, on_file))
        return rows_table(kinds, [(session_columns(found), each) for found, answer in answers for each in rows_of(answer)])

    return Table(name, meaning, kinds, read)


OPS = _part_table("ops", "Operations of profiles.", OPS_PART, OpsWanted(), OperationRow, lambda answer: answer.ops)
KERNELS = _part_table("kernels", "GPU kernels of profiles.", KERNELS_PART, KernelsWanted(), KernelRow, lambda answer: answer.kernels)
STEPS = _part_table(
    "steps", "Steps of profiles, with their time breakdown.", STEPS_PART, StepsWanted(), StepRow, lambda answer: answer.steps
)
MEMORY = _part_table(
    "memory", "Memory of devices and hosts in profiles.", MEMORY_PART, MemoryWanted(), DeviceMemory, lambda answer: answer.devices
)
RULES = _part_table("rules", "What each rule says about profiles.", REPORT, ReportWanted(), FindingRow, lambda answer: answer.findings)
