"""No other rule explains a step: much of it is not recorded, or the device has nothing to do for most of it."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.idle_causes import Cause, CauseSum, CauseTable, mean_causes
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.number_text import three_digits
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.judge_limits import HOLDS
from stepscope.rules.options import Shows, how_to_show, was_on
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_IDLE = 0.5
_ALL = 0.9999
_WORTH = 0.05
_NAMED = 4
_UNRECORDED = 0.05
"""Share of a step that must lack a name before anybody is asked to record again."""
_LONG = 0.02
"""Of a step, in one gap: Python that calls operations leaves many short gaps, and recording again would show nothing else in them."""
_ANNOTATE_TENSORFLOW = 'with tf.profiler.experimental.Trace("what I suspect"):\n    ...'
_RECORD = Code(
    tensorflow=_ANNOTATE_TENSORFLOW,
    pytorch=(
        "config = torch._C._profiler._ExperimentalConfig(\n"
        "    record_python_gc_info=True)  # garbage collection\n"
        "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],\n"
        "        with_stack=True, record_shapes=True,  # Python and its lines\n"
        "        experimental_config=config)"
    ),
    jax=(
        "options = jax.profiler.ProfileOptions()\n"
        "options.host_tracer_level, options.python_tracer_level = 3, 1\n"
        'jax.profiler.start_trace("logs", profiler_options=options)'
    ),
)
_ANNOTATE = Code(
    tensorflow=_ANNOTATE_TENSORFLOW,
    pytorch='with torch.profiler.record_function("what I suspect"):\n    ...',
    jax='with jax.profiler.TraceAnnotation("what I suspect"):\n    ...',
)


def look(facts: Facts) -> Seen:
    """How long the device is idle in a typical step, and by which causes."""
    table = mean_causes(facts.profile, facts.breakdown)
    # One-off start-up is no matter of a step: what is left without it is looked at.
    startup = table.per_step_ns(Cause.STARTUP)
    left, idle_ns = max(1.0, facts.step_ns - startup), table.idle_ns - startup
    idle = idle_ns / left
    who = "no operation runs" if facts.cpu_only else "the device is idle"
    if table.per_step_ns(Cause.UNTRACED) > _ALL * facts.step_ns:
        return CannotTell("This profile contains nothing that shows what ran.", how_to_show(facts.profile, Shows.HOST))
    python = bool(len(facts.of_kind(SpanKind.PYTHON)))
    causes = [one for one in table.sums if one.per_step_ns >= _WORTH * left and one.cause is not Cause.STARTUP][:_NAMED]
    evidence = tuple(_line(facts, table, one) for one in causes)
    unrecorded = 0.0 if python or not _asked_of(facts) else _unrecorded_ns(facts)
    if unrecorded >= _UNRECORDED * facts.step_ns:
        return _asking(facts, unrecorded, evidence)
    if idle < _IDLE:
        return Quiet(f"{who[0].upper()}{who[1:]} for {percent(idle)} of a step.")
    more = "Annotate your code to find the cause." if python else "Capture with Python stacks to see the lines of code."
    return Pattern(
        title="Find out why no operation runs" if facts.cpu_only else "Find out why the device is idle",
        summary=f"{who[0].upper()}{who[1:]} for {percent(idle)} of a step ({milliseconds(idle_ns)}), and no rule explains it: "
        f"{', '.join(_cause(facts, table, one) for one in causes)}. {more}",
        evidence=evidence,
        code=_ANNOTATE if python else _RECORD,
    )


def _asking(facts: Facts, unrecorded: float, evidence: tuple[Evidence, ...]) -> Pattern:
    """What to record, before anything that would gain less than lies in the dark."""
    lost, share = milliseconds(unrecorded), unrecorded / facts.step_ns
    shown = "annotate your code." if was_on(facts.profile, Shows.PYTHON) else how_to_show(facts.profile, Shows.PYTHON)
    return Pattern(
        title="Record what runs between operations",
        summary=f"{percent(share)} of a step ({lost}) is code that this profile does not record: Python, garbage collection, file "
        "writes, or waiting.",
        evidence=evidence,
        asks=f"To see what takes {lost} of each step, {shown[0].lower()}{shown[1:]}",
        costs=share,
        code=_RECORD,
    )


def _asked_of(facts: Facts) -> bool:
    """One rank without a device: elsewhere a gap may be waiting for a device or for another rank, which the file may not show."""
    return facts.cpu_only and len(facts.summary.profiles) == 1


def _unrecorded_ns(facts: Facts) -> float:
    """Time of a typical step in long gaps of which nothing was recorded; nothing when most steps have none."""
    gaps = facts.idle.gaps
    untraced = gaps.parts[:, TimeClass.UNTRACED]
    long = untraced >= _LONG * facts.step_ns
    per_step = np.bincount(gaps.step[long], untraced[long], len(facts.breakdown.steps))
    return float(per_step[list(facts.breakdown.typical)].mean()) if facts.holds(per_step) >= HOLDS else 0.0


def _cause(facts: Facts, table: CauseTable, one: CauseSum) -> str:
    first = table.named(one.cause)[0]
    name = f" ({facts.name(first.row)})" if first.name else ""
    return f"{milliseconds(one.per_step_ns)} {one.cause.text}{name}"


def _line(facts: Facts, table: CauseTable, one: CauseSum) -> Evidence:
    """A cause, the name that has most of it, and the longest stretch of that."""
    first = table.named(one.cause)[0]
    text = f"{one.cause.text.capitalize()}: {milliseconds(one.per_step_ns)} per step"
    if not first.name:
        return Evidence(f"{text}, in {three_digits(one.gaps_per_step)} {'gap' if one.gaps_per_step == 1 else 'gaps'}.")
    drained = one.cause is not Cause.SYNC and first.after_wait_ns >= _WORTH * facts.step_ns
    after = f", {milliseconds(first.after_wait_ns)} of it after a synchronization with the device" if drained else ""
    return facts.evidence(f"{text}, {milliseconds(first.per_step_ns)} in {facts.name(first.row)}{after}.", first.row)


RULE = Rule(
    id="device_idle",
    title="Unexplained idle time",
    look=look,
    code=_RECORD,
    wrong_when="When the device waits on purpose, such as a server between requests.",
    last_resort=True,
)
