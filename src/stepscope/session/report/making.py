"""Makes the report of a session from the analyses of its workers and what the rules say."""

from __future__ import annotations

from stepscope.analyses.requests import likely_request, request_names
from stepscope.analyses.texts import worker_name
from stepscope.analyses.time_classes import DEFINITIONS
from stepscope.analyses.work.kernels import matrix_use
from stepscope.model import declared as d
from stepscope.model.profile import NONE
from stepscope.rules.headline import headline, waited_for
from stepscope.session.analysed import AnalysedSession
from stepscope.session.epoch_rows import epoch_times
from stepscope.session.parts.report import BrokenWorker, CommunicationSplit, MatrixCoreUse, Report, ReportWanted, SlowStep
from stepscope.session.report.columns import DisagreementRow
from stepscope.session.report.empty_views import empty_views
from stepscope.session.report.findings import checked_rules, finding_rows
from stepscope.session.report.quality import data_quality_row
from stepscope.session.report.ranks import device_name, exposed_rows, file_name, rank_rows, tpu_steps
from stepscope.session.report.rates import marked_epochs, rates, throughput_of
from stepscope.session.report.tpu import tpu_time
from stepscope.session.step_rows import LoggedStepRow, step_parts, step_shares, step_times

_MS = 1e6


def make_report(session: AnalysedSession, wanted: ReportWanted) -> Report:
    """All of it."""
    summary, judged, workers = session.summary, session.judged(wanted.cores, wanted.step_ms), session.workers
    profiles, lengths, source = session.profiles, summary.lengths, summary.breakdowns[0].steps
    files, late = [file_name(profile) for profile in profiles], waited_for(summary)
    processed, epochs = throughput_of(session, wanted.batch, wanted.tokens), marked_epochs(session)
    logged = session.logged_step
    return Report(
        definitions=DEFINITIONS,
        session=session.name,
        summary=headline(summary, judged, _names(session)),
        format=profiles[0].format,
        framework=profiles[0].framework,
        captured_seconds=session.time,
        files=files,
        devices=[device_name(profiles[0], place) for place in range(len(profiles[0].devices))],
        step_source=source.source.text,
        step_sources=[source.source.text, *(other.text for other in source.alternatives)],
        step_ms=step_times(summary),
        breakdown=step_shares(summary.parts, summary.typical_ns),
        parts=step_parts(summary.parts),
        overlapped=step_parts(summary.overlapped),
        communication=_split(session),
        slow_steps=_slow_steps(session),
        most_exposed=exposed_rows(session, range(len(profiles))),
        matrix_core=d.fill(MatrixCoreUse, matrix_use(profiles[lengths.longest])),
        ranks=rank_rows(session),
        disagreements=d.fill_all(DisagreementRow, summary.disagreements),
        longest=workers[lengths.longest],
        slowest="" if lengths.slowest is None else workers[lengths.slowest],
        waited_for="" if late is None else workers[late],
        ranks_apart=lengths.apart,
        ranks_equal=lengths.equal,
        ranks_text=lengths.text if len(workers) > 1 else "",
        findings=finding_rows(judged, workers, summary, files),
        checked=checked_rules(judged),
        replay_error=judged.replay_error,
        inflation=judged.inflation,
        unprofiled_ms=None if judged.unprofiled_ns is None else judged.unprofiled_ns / _MS,
        logged_step=None if logged is None else d.fill(LoggedStepRow, logged),
        data_quality=data_quality_row(summary, judged),
        throughput=rates(processed, epochs),
        epochs=epoch_times(epochs, batch=processed.batch, ranks=processed.ranks),
        tpu=tpu_time(tpu_steps(session)),
        request=likely_request(profiles[0], request_names(profiles[0])),
        programs=sum(len(profile.programs) for profile in profiles),
        empty_views=empty_views(session),
        broken=d.fill_all(BrokenWorker, session.broken),
    )


def _names(session: AnalysedSession) -> list[str]:
    """What sentences call the workers."""
    named = zip(session.workers, session.profiles, strict=True)
    return [worker_name(worker, None if profile.rank == NONE else profile.rank) for worker, profile in named]


def _split(session: AnalysedSession) -> CommunicationSplit:
    collected = session.summary.collected
    known = [split for split in collected.splits if split is not None]
    return CommunicationSplit(
        split=collected.text,
        waiting_ms=sum(split.waiting_ns for split in known) / len(known) / _MS if known else None,
        transfer_ms=sum(split.transfer_ns for split in known) / len(known) / _MS if known else None,
    )


def _slow_steps(session: AnalysedSession) -> list[SlowStep]:
    return [
        SlowStep(
            step=int(breakdown.steps.number[step.place]),
            worker=session.workers[place],
            host=profile.host,
            rank=None if profile.rank == NONE else profile.rank,
            ms=int(breakdown.steps.length[step.place]) / _MS,
            part=step.part.key,
            part_ms=step.part_difference_ns / _MS,
            may_hold_profiler_start=step.place + breakdown.steps.before == 0,
        )
        for place, (profile, breakdown) in enumerate(zip(session.profiles, session.summary.breakdowns, strict=True))
        for step in breakdown.slow
    ]
