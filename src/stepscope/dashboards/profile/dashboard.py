"""The routes of the Profile tab: sessions, the overview of one, and tables of its operations, kernels and programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from msgspec import structs

from stepscope.dashboards.context import FolderContext
from stepscope.dashboards.profile import (
    communication,
    compare,
    counters,
    evidence,
    hlo,
    host,
    input,
    kinds,
    logged_memory,
    memory,
    memory_compare,
    modules,
    path,
    program_memory,
    requests,
    roofline,
    throughput,
    throughput_logged,
    transfers,
    trend,
    whatif,
)
from stepscope.dashboards.profile import messages as m
from stepscope.dashboards.profile.html_further import further_found, further_sections
from stepscope.dashboards.profile.html_report import file_stem, report_page
from stepscope.dashboards.profile.html_throughput import known_rates
from stepscope.dashboards.profile.ranges import Ranged, in_range
from stepscope.dashboards.profile.report import make_report, told_by
from stepscope.dashboards.profile.spans import SpanAnswer, SpanRequest, row_of, span_detail
from stepscope.dashboards.profile.tables import kernel_lines, operation_lines
from stepscope.dashboards.route import Dashboard, Download, NoFields, Role, Route
from stepscope.model.errors import NotThere
from stepscope.queries.memory_levels import check_marked, memory_levels, runs_of_memory
from stepscope.queries.names import path_text
from stepscope.queries.profiles import Opened, Reading, SessionOfRun
from stepscope.queries.trace_export import trace_pieces

WAIT_SECONDS = 1.0
"""How long an answer may wait for reading before it says how far that has come."""
REPORT_WAIT_SECONDS = 20.0
"""A file cannot say how far reading has come."""
_STILL_READING = "The profile is still being read; save the report when the overview is shown."


_Found = TypeVar("_Found")


class _OfWorker(Ranged, Protocol):
    """A request about one worker of a session."""

    @property
    def session(self) -> str: ...

    @property
    def worker(self) -> str: ...


def profile_sessions(context: FolderContext, _: NoFields, __: Mapping[str, str]) -> m.SessionsAnswer:
    """All sessions of all runs, newest first; nothing is read for it."""
    epoch = context.reads.library.snapshot.epoch
    return m.SessionsAnswer(epoch, [_session_row(one) for one in context.reads.profiles.sessions()])


def profile_overview(context: FolderContext, request: m.OverviewRequest, _: Mapping[str, str]) -> m.OverviewAnswer:
    """Where the steps' time goes, on every rank; while files are being read, how far that has come."""
    reader = context.reads.profiles
    return m.OverviewAnswer(
        *_asked(
            context,
            f"overview {request.steps} of {request.step_ms} ms",
            in_range(reader.find(request.session), request),
            lambda opened: make_report(opened, request.steps, told_by(request)),
        )
    )


def profile_operations(context: FolderContext, request: m.OperationsRequest, _: Mapping[str, str]) -> m.OperationsAnswer:
    """Operations of host and devices of one worker, most exposed first."""
    what = f"operations by {request.by.value}{' with calls' if request.calls else ''} {request.steps}"
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context, what, wanted, lambda opened: operation_lines(opened, request.by, request.calls, request.steps)
    )
    return m.OperationsAnswer(epoch, reading, *(found or (None, 0)))


def profile_kernels(context: FolderContext, request: m.KernelsRequest, _: Mapping[str, str]) -> m.KernelsAnswer:
    """Kernels of one worker, longest in sum first."""
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context,
        f"kernels by {request.by.value} {request.steps}",
        wanted,
        lambda opened: kernel_lines(opened, request.by, request.steps),
    )
    return m.KernelsAnswer(epoch, reading, *(found or (None, 0, [])))


def profile_span(context: FolderContext, request: SpanRequest, path: Mapping[str, str]) -> SpanAnswer:
    """One span of one worker, with the attributes that the file has of it."""
    reader, row = context.reads.profiles, row_of(path)
    found = reader.span(_one_worker(reader.find(request.session), request.worker), row, WAIT_SECONDS)
    epoch = context.reads.library.snapshot.epoch
    if isinstance(found, Reading):
        return SpanAnswer(epoch, _reading(found), None)
    profile, attributes = found
    return SpanAnswer(epoch, None, span_detail(profile, row, attributes))


def profile_evidence(context: FolderContext, request: evidence.EvidenceRequest, path: Mapping[str, str]) -> evidence.EvidenceAnswer:
    """The spans behind a line of evidence of one worker."""
    row = row_of(path)
    return evidence.EvidenceAnswer(
        *_asked(
            context,
            f"evidence {row} {request.steps}",
            _chosen(context, request),
            lambda opened: evidence.evidence_found(opened, row, request.steps),
        )
    )


def profile_memory(context: FolderContext, request: memory.MemoryRequest, _: Mapping[str, str]) -> memory.MemoryAnswer:
    """Who holds the memory of the devices and the host of one worker, and in files that record memory alone."""
    reader = context.reads.profiles
    wanted = memory.Wanted(request.by, request.scope, request.min_bytes)
    found = reader.ask(
        f"memory {wanted} {request.steps}",
        in_range(reader.find_all(request.session).with_memory(request.worker), request),
        lambda opened: memory.memory_of_session(opened, request.steps, wanted),
        WAIT_SECONDS,
    )
    epoch = context.reads.library.snapshot.epoch
    if isinstance(found, Reading):
        return memory.MemoryAnswer(epoch, _reading(found), None, [])
    return memory.MemoryAnswer(epoch, None, *found)


def profile_logged_memory(
    context: FolderContext, request: logged_memory.LoggedMemoryRequest, _: Mapping[str, str]
) -> logged_memory.LoggedMemoryAnswer:
    """What a run has logged about memory; it needs no profile."""
    reads = context.reads
    marks = {root.name: context.notes.memory_marks(root.path) for root in context.roots}
    found = runs_of_memory(reads.views, reads.tags, marks)
    chosen = next((each.run for each in found if each.run.id == request.run), found[0].run if found else None)
    rows: list[logged_memory.LoggedMemoryRow] = []
    if chosen is not None:
        levels = memory_levels(reads.library, chosen, marks.get(chosen.root))
        rows = list(logged_memory.logged_memory_rows(path_text(chosen.name), levels))
    return logged_memory.LoggedMemoryAnswer(
        epoch=reads.library.snapshot.epoch,
        runs=logged_memory.logged_runs(found),
        run=None if chosen is None else str(chosen.id),
        sentence=logged_memory.logged_sentence(rows),
        series=rows,
        advice=logged_memory.HOW_TO_SEE_WHO,
        units=list(logged_memory.UNITS),
    )


def profile_program_memory(
    context: FolderContext, request: program_memory.ProgramMemoryRequest, _: Mapping[str, str]
) -> program_memory.ProgramMemoryAnswer:
    """What the compiled programs of one worker need, before they run."""
    reader = context.reads.profiles
    wanted = _one_worker(reader.find(request.session), request.worker)
    epoch, reading, found = _asked(context, "memory of programs", wanted, lambda _: program_memory.program_rows(reader.plans(wanted)))
    return program_memory.ProgramMemoryAnswer(epoch, reading, *(found or (None, 0, [])))


def profile_memory_compare(
    context: FolderContext, request: memory_compare.MemoryCompareRequest, _: Mapping[str, str]
) -> memory_compare.MemoryCompareAnswer:
    """Memory of several sessions of a run: the peak of each, and who holds more of it."""
    reader = context.reads.profiles
    named = [reader.find_all(each) for each in dict.fromkeys(part for part in request.sessions.split(",") if part)]
    sessions = memory_compare.sessions_of(reader.find_all(request.session), named)
    return memory_compare.MemoryCompareAnswer(
        *_asked(
            context,
            f"memory compared by {request.by.value}",
            memory_compare.as_one(sessions),
            lambda opened: memory_compare.compare_memory(opened, sessions, request.by),
        )
    )


def profile_mark_memory(context: FolderContext, request: logged_memory.MarkRequest, _: Mapping[str, str]) -> logged_memory.MarksAnswer:
    """Marks a series of a run's log folder as memory, or takes the mark away."""
    folder = context.root_path(context.reads.views.view(folded=False).run(request.run).record.root)
    if request.unit is not None:
        check_marked(context.reads.library, [request.tag])
    unit = None if request.unit is None else logged_memory.unit_to_keep(request.tag, request.unit)
    context.notes.mark_memory(folder, request.tag, unit)
    return logged_memory.MarksAnswer([logged_memory.MarkRow(tag, unit) for tag, unit in context.notes.memory_marks(folder).items()])


def profile_input(context: FolderContext, request: input.InputRequest, _: Mapping[str, str]) -> input.InputAnswer:
    """What a step of one worker waits for before it has its batch."""
    wanted = _chosen(context, request)
    return input.InputAnswer(
        *_asked(context, f"input {request.steps}", wanted, lambda opened: input.input_found(opened, request.steps))
    )


def profile_kinds(context: FolderContext, _: NoFields, __: Mapping[str, str]) -> kinds.KindsAnswer:
    """What names of spans mean."""
    return kinds.kinds_answer(context.reads.library.profiles.kind_table())


def profile_host(context: FolderContext, request: host.HostRequest, _: Mapping[str, str]) -> host.HostAnswer:
    """What the host of one worker does around operations."""
    wanted = _chosen(context, request)
    return host.HostAnswer(*_asked(context, f"host {request.steps}", wanted, lambda opened: host.host_found(opened, request.steps)))


def profile_hlo(context: FolderContext, request: hlo.HloRequest, _: Mapping[str, str]) -> hlo.HloAnswer:
    """Operations of the compiled programs of one worker, most self time first."""
    reader = context.reads.profiles
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context,
        f"hlo by {request.by.value}",
        wanted,
        lambda opened: hlo.hlo_lines(opened.profiles[0], reader.programs(wanted), request.by),
    )
    return hlo.HloAnswer(epoch, reading, *(found or (None, 0, [])))


def profile_hlo_tree(context: FolderContext, request: hlo.HloTreeRequest, _: Mapping[str, str]) -> hlo.HloTreeAnswer:
    """The same as a tree: program, category, operation, and what is fused into it."""
    reader = context.reads.profiles
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context,
        f"hlo tree {request.waste}",
        wanted,
        lambda opened: hlo.hlo_tree_lines(opened.profiles[0], reader.programs(wanted), request.waste),
    )
    return hlo.HloTreeAnswer(epoch, reading, *(found or (None, 0, [])))


def profile_hlo_op(context: FolderContext, request: hlo.HloOpRequest, _: Mapping[str, str]) -> hlo.HloOpAnswer:
    """One operation of a compiled program: its text, and what it takes from and gives to."""
    reader = context.reads.profiles
    wanted = _one_worker(reader.find(request.session), request.worker)
    found = reader.ask("programs", wanted, lambda _: reader.programs(wanted), WAIT_SECONDS)
    epoch = context.reads.library.snapshot.epoch
    if isinstance(found, Reading):
        return hlo.HloOpAnswer(epoch, _reading(found), None)
    return hlo.HloOpAnswer(epoch, None, hlo.hlo_op_detail(found[0], request))


def profile_modules(context: FolderContext, request: modules.ModulesRequest, _: Mapping[str, str]) -> modules.ModulesAnswer:
    """The tree of modules of one worker."""
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(context, "modules", wanted, lambda opened: modules.module_lines(opened.profiles[0]))
    return modules.ModulesAnswer(epoch, reading, *(found or (None, 0, False)))


def profile_transfers(context: FolderContext, request: transfers.TransfersRequest, _: Mapping[str, str]) -> transfers.TransfersAnswer:
    """Copies between memories of one worker, longest in sum first."""
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context,
        f"transfers by {request.by.value} {request.steps}",
        wanted,
        lambda opened: transfers.transfer_lines(opened.profiles[0], request.by, request.steps),
    )
    return transfers.TransfersAnswer(epoch, reading, *(found or (None, 0)))


def profile_roofline(context: FolderContext, request: roofline.RooflineRequest, _: Mapping[str, str]) -> roofline.RooflineAnswer:
    """Operations and kernels of one worker beneath the roofs of its devices."""
    return roofline.RooflineAnswer(
        *_asked(
            context,
            f"roofline {request.steps}",
            _chosen(context, request),
            lambda opened: roofline.roofline_report(opened, request.steps),
        )
    )


def profile_counters(context: FolderContext, request: counters.CountersRequest, _: Mapping[str, str]) -> counters.CountersAnswer:
    """What counters of one worker told, over time and in steps."""
    wanted = _chosen(context, request)
    epoch, reading, found = _asked(
        context,
        f"counters in {request.columns} {request.steps}",
        wanted,
        lambda opened: counters.counter_lines(opened.profiles[0], request.steps, request.columns),
    )
    return counters.CountersAnswer(epoch, reading, *(found or (None, 0, [], 0.0, 0.0)))


def profile_communication(
    context: FolderContext, request: communication.CommunicationRequest, _: Mapping[str, str]
) -> communication.CommunicationAnswer:
    """What the ranks of a session send each other, and whom they wait for."""
    reader = context.reads.profiles
    return communication.CommunicationAnswer(
        *_asked(
            context,
            f"communication {request.steps}",
            in_range(reader.find(request.session), request),
            lambda opened: communication.communication_of(opened, request.steps),
        )
    )


def profile_path(context: FolderContext, request: path.PathRequest, _: Mapping[str, str]) -> path.PathAnswer:
    """What the length of a worker's step consists of."""
    reader = context.reads.profiles
    return path.PathAnswer(
        *_asked(
            context,
            f"path {request.steps} of {request.worker}",
            in_range(reader.find(request.session), request),
            lambda opened: path.path_of(opened, request.worker, request.steps),
        )
    )


def profile_compare(context: FolderContext, request: compare.CompareRequest, _: Mapping[str, str]) -> compare.CompareAnswer:
    """What got slower from one session to another, and whether that is more than noise."""
    reader = context.reads.profiles
    after, before = reader.find(request.session), reader.find(request.against)
    return compare.CompareAnswer(
        *_asked(
            context,
            f"compare by {request.by.value} {request.steps} {request.range} {request.against_range}",
            compare.both(after, before, request),
            lambda opened: compare.compared(opened, after, before, request),
        )
    )


def profile_whatif(context: FolderContext, request: whatif.WhatIfRequest, _: Mapping[str, str]) -> whatif.WhatIfAnswer:
    """What a step of a session would take after changes; the replay that all questions start from is made once."""
    reader = context.reads.profiles
    words = whatif.read_levers(request.levers)
    wanted = in_range(reader.find(request.session), request)
    epoch = context.reads.library.snapshot.epoch
    start = reader.ask(
        f"what if with {request.cores} cores and {request.step_ms} ms {request.steps}",
        wanted,
        lambda opened: whatif.start_from(opened, request),
        WAIT_SECONDS,
    )
    if isinstance(start, Reading):
        return whatif.WhatIfAnswer(epoch, _reading(start), None)
    what = f"what if {words} with {request.cores} cores and {request.step_ms} ms {request.steps}"
    found = reader.ask(what, wanted, lambda _: whatif.what_if(start, words), WAIT_SECONDS)
    if isinstance(found, Reading):
        return whatif.WhatIfAnswer(epoch, _reading(found), None)
    return whatif.WhatIfAnswer(epoch, None, found)


def profile_report(context: FolderContext, request: m.ReportRequest, _: Mapping[str, str]) -> Download:
    """The overview as one HTML file."""
    reader = context.reads.profiles
    session = reader.find(request.session)
    found = reader.ask(
        f"overview {request.steps} of {request.step_ms} ms",
        in_range(session, request),
        lambda opened: make_report(opened, request.steps, told_by(request)),
        REPORT_WAIT_SECONDS,
    )
    if isinstance(found, Reading):
        raise NotThere(_STILL_READING, "still_reading")
    further = reader.ask(
        f"further {request.steps} of {request.batch} and {request.tokens} by {request.request}",
        in_range(session, request),
        lambda opened: further_found(opened, request.steps, request.batch, request.tokens, request.request),
        REPORT_WAIT_SECONDS,
    )
    if isinstance(further, Reading):
        raise NotThere(_STILL_READING, "still_reading")
    if request.batch or request.tokens:
        found = structs.replace(found, throughput=known_rates(further[0]))
    asked = throughput_logged.LoggedEpochsRequest(session=request.session)
    logged = throughput_logged.logged_epochs_answer(context.reads, asked).logged
    name = f"{path_text(session.run.name)} {path_text(session.session.name)}".strip()
    page = report_page(found, name, further_sections(found, further, logged))
    return Download(iter([page.encode()]), "text/html; charset=utf-8", f"{file_stem(name)}.html")


def profile_trace(context: FolderContext, request: m.TraceRequest, _: Mapping[str, str]) -> Download:
    """One worker's recording, or a range of it, as a file for Perfetto or Chrome."""
    reader = context.reads.profiles
    session = _one_worker(reader.find(request.session), request.worker)
    found = reader.ask("trace", in_range(session, request), lambda opened: opened.profiles[0], REPORT_WAIT_SECONDS)
    if isinstance(found, Reading):
        raise NotThere("The profile is still being read; save the trace when the overview is shown.", "still_reading")
    name = f"{path_text(session.run.name)} {path_text(session.session.name)}".strip()
    return Download(trace_pieces(found, request.format), "application/octet-stream", f"{file_stem(name)}.{request.format}")


def profile_trend(context: FolderContext, request: trend.TrendRequest, _: Mapping[str, str]) -> trend.TrendAnswer:
    """Several sessions along a hyperparameter or along the run."""
    reader = context.reads.profiles
    sessions = [reader.find(session) for session in trend.wanted_sessions(request)]
    return trend.TrendAnswer(
        *_asked(
            context,
            f"trend by {request.by} {request.steps} {request.range}",
            trend.together(sessions),
            lambda opened: trend.trend_of(opened, sessions, request),
        )
    )


def profile_throughput(
    context: FolderContext, request: throughput.ThroughputRequest, _: Mapping[str, str]
) -> throughput.ThroughputAnswer:
    """What a session gets through in a second, and the epochs that it marks."""
    return throughput.ThroughputAnswer(
        *_asked(
            context,
            f"throughput of {request.batch} and {request.tokens} {request.steps}",
            in_range(context.reads.profiles.find(request.session), request),
            lambda opened: throughput.throughput_found(opened, request.steps, request.batch, request.tokens),
        )
    )


def profile_requests(context: FolderContext, request: requests.RequestsRequest, _: Mapping[str, str]) -> requests.RequestsAnswer:
    """How long requests of one worker take, and why."""
    epoch, reading, found = _asked(
        context,
        f"requests by {request.request} {request.steps}",
        _chosen(context, request),
        lambda opened: requests.requests_found(opened, request.steps, request.request),
    )
    return requests.RequestsAnswer(epoch, reading, *(found or ([], None, "")))


def profile_epochs(
    context: FolderContext, request: throughput_logged.LoggedEpochsRequest, _: Mapping[str, str]
) -> throughput_logged.LoggedEpochsAnswer:
    """Epochs as runs have logged them; no profile is read for it."""
    return throughput_logged.logged_epochs_answer(context.reads, request)


def _asked(
    context: FolderContext, what: str, wanted: SessionOfRun, make: Callable[[Opened], _Found]
) -> tuple[int, m.ReadingRow | None, _Found | None]:
    """How every answer begins: the epoch, how far reading has come, and what was made; one of the last two is None."""
    found = context.reads.profiles.ask(what, wanted, make, WAIT_SECONDS)
    epoch = context.reads.library.snapshot.epoch
    return (epoch, _reading(found), None) if isinstance(found, Reading) else (epoch, None, found)


def _chosen(context: FolderContext, request: _OfWorker) -> SessionOfRun:
    """The request's worker and range of its session."""
    return in_range(_one_worker(context.reads.profiles.find(request.session), request.worker), request)


def _one_worker(found: SessionOfRun, worker: str) -> SessionOfRun:
    """The named worker, else the first whose file nothing speaks against."""
    files = found.session.files
    usual = next((file for file in files if file.problem is None), files[0])
    return found.only(worker or usual.worker)


def _session_row(found: SessionOfRun) -> m.SessionRow:
    session = found.session
    workers = [
        m.WorkerRow(file.worker, path_text(os.path.basename(file.path)), file.format, file.size, file.problem) for file in session.files
    ]
    size = sum(file.size for file in session.files)
    names = (str(found.run.id), path_text(found.run.name), path_text(session.name))
    return m.SessionRow(session.id, *names, session.time, size, session.has_steps, workers)


def _reading(reading: Reading) -> m.ReadingRow:
    return m.ReadingRow(
        reading.files_done, reading.files, reading.bytes_done, reading.bytes, reading.analysing, round(reading.seconds, 3)
    )


PROFILE = Dashboard(
    id="profile",
    label="Profile",
    kinds=frozenset(),
    shows_profiles=True,
    routes=(
        Route("GET", "/profile/sessions", Role.VIEWER, "Sessions of profiles", profile_sessions, NoFields, m.SessionsAnswer),
        Route(
            "GET", "/profile/overview", Role.VIEWER, "Where a step's time goes", profile_overview, m.OverviewRequest, m.OverviewAnswer
        ),
        Route("GET", "/profile/operations", Role.VIEWER, "Operations", profile_operations, m.OperationsRequest, m.OperationsAnswer),
        Route("GET", "/profile/kernels", Role.VIEWER, "Kernels", profile_kernels, m.KernelsRequest, m.KernelsAnswer),
        Route("GET", "/profile/input", Role.VIEWER, "Input pipeline", profile_input, input.InputRequest, input.InputAnswer),
        Route("GET", "/profile/kinds", Role.VIEWER, "What names mean", profile_kinds, NoFields, kinds.KindsAnswer),
        Route("GET", "/profile/host", Role.VIEWER, "Work of the host", profile_host, host.HostRequest, host.HostAnswer),
        Route("GET", "/profile/memory", Role.VIEWER, "Memory", profile_memory, memory.MemoryRequest, memory.MemoryAnswer),
        Route(
            "GET",
            "/profile/memory/logged",
            Role.VIEWER,
            "Memory as runs have logged it",
            profile_logged_memory,
            logged_memory.LoggedMemoryRequest,
            logged_memory.LoggedMemoryAnswer,
        ),
        Route(
            "GET",
            "/profile/memory/programs",
            Role.VIEWER,
            "Memory that compilers have planned",
            profile_program_memory,
            program_memory.ProgramMemoryRequest,
            program_memory.ProgramMemoryAnswer,
        ),
        Route(
            "GET",
            "/profile/memory/compare",
            Role.VIEWER,
            "Memory of several sessions",
            profile_memory_compare,
            memory_compare.MemoryCompareRequest,
            memory_compare.MemoryCompareAnswer,
        ),
        Route(
            "PATCH",
            "/profile/memory/marks",
            Role.EDITOR,
            "Mark a series as memory",
            profile_mark_memory,
            logged_memory.MarkRequest,
            logged_memory.MarksAnswer,
        ),
        Route("GET", "/profile/hlo", Role.VIEWER, "Compiled operations", profile_hlo, hlo.HloRequest, hlo.HloAnswer),
        Route(
            "GET",
            "/profile/hlo/tree",
            Role.VIEWER,
            "Compiled operations: tree",
            profile_hlo_tree,
            hlo.HloTreeRequest,
            hlo.HloTreeAnswer,
        ),
        Route("GET", "/profile/hlo/op", Role.VIEWER, "A compiled operation", profile_hlo_op, hlo.HloOpRequest, hlo.HloOpAnswer),
        Route(
            "GET",
            "/profile/communication",
            Role.VIEWER,
            "Communication",
            profile_communication,
            communication.CommunicationRequest,
            communication.CommunicationAnswer,
        ),
        Route("GET", "/profile/path", Role.VIEWER, "The critical path", profile_path, path.PathRequest, path.PathAnswer),
        Route("GET", "/profile/modules", Role.VIEWER, "Modules", profile_modules, modules.ModulesRequest, modules.ModulesAnswer),
        Route(
            "GET", "/profile/transfers", Role.VIEWER, "Copies", profile_transfers, transfers.TransfersRequest, transfers.TransfersAnswer
        ),
        Route("GET", "/profile/roofline", Role.VIEWER, "Roofline", profile_roofline, roofline.RooflineRequest, roofline.RooflineAnswer),
        Route("GET", "/profile/counters", Role.VIEWER, "Counters", profile_counters, counters.CountersRequest, counters.CountersAnswer),
        Route(
            "GET",
            "/profile/compare",
            Role.VIEWER,
            "Two sessions compared",
            profile_compare,
            compare.CompareRequest,
            compare.CompareAnswer,
        ),
        Route(
            "GET",
            "/profile/whatif",
            Role.VIEWER,
            "What a change would bring",
            profile_whatif,
            whatif.WhatIfRequest,
            whatif.WhatIfAnswer,
        ),
        Route("GET", "/profile/report", Role.VIEWER, "The overview as one HTML file", profile_report, m.ReportRequest, ("text/html",)),
        Route(
            "GET",
            "/profile/trace",
            Role.VIEWER,
            "A recording for Perfetto or Chrome",
            profile_trace,
            m.TraceRequest,
            ("application/octet-stream",),
        ),
        Route(
            "GET",
            "/profile/throughput",
            Role.VIEWER,
            "Throughput and epochs",
            profile_throughput,
            throughput.ThroughputRequest,
            throughput.ThroughputAnswer,
        ),
        Route("GET", "/profile/requests", Role.VIEWER, "Requests", profile_requests, requests.RequestsRequest, requests.RequestsAnswer),
        Route(
            "GET",
            "/profile/epochs",
            Role.VIEWER,
            "Epochs that runs have logged",
            profile_epochs,
            throughput_logged.LoggedEpochsRequest,
            throughput_logged.LoggedEpochsAnswer,
        ),
        Route("GET", "/profile/trend", Role.VIEWER, "Several sessions", profile_trend, trend.TrendRequest, trend.TrendAnswer),
        Route(
            "GET",
            "/profile/evidence/{row}",
            Role.VIEWER,
            "The spans behind a line of evidence",
            profile_evidence,
            evidence.EvidenceRequest,
            evidence.EvidenceAnswer,
        ),
        Route("GET", "/profile/spans/{row}", Role.VIEWER, "A span and its attributes", profile_span, SpanRequest, SpanAnswer),
    ),
)
