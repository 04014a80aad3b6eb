"""Decides which rules speak: one threshold on what a change would gain, each gain after the change above it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.devices.table import published_devices
from stepscope.analyses.session.summary import Summary
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.prediction import MUCH_INFLATION
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.facts import Facts, ReadDevices, ReadPrograms
from stepscope.rules.judge_limits import FIRES, HOLDS, JUDGED_AT, NOTES
from stepscope.rules.lever import Action, ExposedTime, Lever, Predictor
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.predictor import Replayed
from stepscope.rules.rule import CannotTell, Evidence, Finding, Gain, GainKind, Pattern, Quiet, Rule, Seen, Verdict, percent

CARDS = 3
"""How many findings are shown at once."""
_WEAK_REPLAY = 0.05
_NO_REPLAY = 0.5
_ON_THE_HOST = {Action.HOST, Action.PYTHON, Action.SYNC, Action.ALLOCATOR, Action.COLLECTING, Action.SPANS}
_NEXT_TO_NOTHING = 0.05
_MOST_OF_IT = 0.5
"""A special case that explains this share of what the general rule promises is shown instead of it."""
_NOT_REPLAYED = "Capture host and device activity: only a replay of the step shows whether this change helps."


@dataclass(frozen=True, slots=True)
class Judgement:
    """All rules' findings: those that fire by gain, then notes, quiet ones and those that cannot tell."""

    findings: tuple[Finding, ...]
    doubts: tuple[str, ...]  # one sentence for each reason to doubt all of them
    replay_error: float | None
    inflation: float | None = None  # by how much the profiler made steps longer; None when no other steps are known
    unprofiled_ns: float | None = None  # a step of the run without the profiler, from which savings are estimated then

    def of(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Findings with one verdict."""
        return tuple(each for each in self.findings if each.verdict is verdict)

    @property
    def cards(self) -> tuple[Finding, ...]:
        """What is shown: the most worthwhile changes."""
        return self.of(Verdict.FIRES)[:CARDS]

    @property
    def text(self) -> str:
        """`33 rules checked: 2 apply, 24 do not, 7 without data`; the counts sum to the rules."""
        words = {
            Verdict.FIRES: "applies" if len(self.of(Verdict.FIRES)) == 1 else "apply",
            Verdict.NOTE: "with a small saving",
            Verdict.QUIET: "do not",
            Verdict.CANNOT_TELL: "without data",
        }
        counts = ", ".join(f"{len(self.of(verdict))} {word}" for verdict, word in words.items() if self.of(verdict))
        return f"{len(self.findings)} rules checked: {counts}"


def judge(
    summary: Summary,
    attributes: ReadAttributes | None = None,
    cores: int | None = None,
    predictor: Predictor | None = None,
    rules: Sequence[Rule] = ALL_RULES,
    unprofiled_ns: float | None = None,
    programs: ReadPrograms | None = None,
    devices: ReadDevices = published_devices,
) -> Judgement:
    """Looks with every rule. `attributes` reads what the file says of one span, `cores` is what is known of the machine.

    `unprofiled_ns` is a median step of the same run that no profiler has recorded, `programs` reads what was compiled, and `devices`
    the table of devices.
    """
    known_ns = summary.believed(unprofiled_ns)
    inflation = summary.typical_ns / known_ns - 1 if known_ns else None
    facts = Facts(summary, attributes, cores, known_ns, programs, devices)
    predictor = predictor or Replayed(facts.what_if, ExposedTime(summary))
    doubts = _doubts(summary, predictor.replay_error)
    seen = [(rule, _look(rule, facts)) for rule in rules]
    patterns = [(rule, _with_inflation(pattern, inflation)) for rule, pattern in seen if isinstance(pattern, Pattern)]
    findings = _judged([each for each in patterns if not each[0].last_resort], predictor, bool(doubts))
    findings = _last_resort([each for each in patterns if each[0].last_resort], findings) + findings
    findings += [_silent(rule, said) for rule, said in seen if not isinstance(said, Pattern)]
    order = list(Verdict)
    findings.sort(key=lambda each: order.index(each.verdict))
    return Judgement(tuple(findings), doubts, None if _fails(predictor.replay_error) else predictor.replay_error, inflation, known_ns)


def _look(rule: Rule, facts: Facts) -> Seen:
    """Without the device's work nobody knows what the host's time costs: only what holds on the host alone is said."""
    lacking = facts.unrecorded
    if lacking is None or rule.on_host_alone:
        return rule.look(facts)
    return CannotTell(f"Work of the {lacking.kind} is not recorded in this profile.", how_to_show(facts.profile, Shows.DEVICE))


def _with_inflation(pattern: Pattern, inflation: float | None) -> Pattern:
    """What a profiler costs, it costs in calls of the host: gains there are doubted when steps got much longer by it."""
    host = pattern.lever is not None and pattern.lever.action in _ON_THE_HOST
    if not host or inflation is None or inflation <= MUCH_INFLATION:
        return pattern
    line = Evidence(f"Profiler overhead is included: profiled steps are {percent(inflation)} longer than the other steps of the run.")
    return replace(pattern, evidence=(*pattern.evidence, line), doubted=True)


def _fails(replay_error: float | None) -> bool:
    """Whether a replay is so far from the step that its error is no figure to print: the profile or its links are wrong."""
    return replay_error is not None and abs(replay_error) >= _NO_REPLAY


def _doubts(summary: Summary, replay_error: float | None) -> tuple[str, ...]:
    """The gate before any rule: what speaks against the recording speaks against every gain."""
    found = list(dict.fromkeys(summary.quality.weak))
    if _fails(replay_error):
        found.append("The replay does not reproduce the measured step, so estimated savings are upper bounds only.")
    elif replay_error is not None and abs(replay_error) > _WEAK_REPLAY:
        found.append(
            f"The replay of the unchanged profile differs by {100 * replay_error:+.0f}% from the measured step, so "
            "estimated savings are rough."
        )
    return tuple(found)


@dataclass(slots=True)
class _Done:
    """Changes that are assumed to be made: levers of the step, and shares of the recording that are won already."""

    levers: list[Lever] = field(default_factory=list[Lever])
    window: dict[TimeClass, float] = field(default_factory=dict[TimeClass, float])

    def add(self, pattern: Pattern) -> None:
        """What is won of a class is the most that any change has promised of it."""
        if pattern.lever is not None:
            self.levers.append(pattern.lever)
        for part, share in (pattern.of_window or {}).items():
            self.window[part] = max(share, self.window.get(part, 0.0))


def _judged(patterns: list[tuple[Rule, Pattern]], predictor: Predictor, doubted: bool) -> list[Finding]:
    """Takes the best change, assumes it done, and looks again at what the others would still gain."""
    done = _Done()
    left = list(patterns)
    found: list[Finding] = []
    while left:
        outlooks = [_outlook(pattern, predictor, done, doubted) for _, pattern in left]
        order = sorted(range(len(left)), key=lambda place: _worth(*left[place], outlooks[place]), reverse=True)
        best = _most_precise(left, outlooks, order)
        fires = _verdict(left[best][1], outlooks[best]) is Verdict.FIRES
        taken = [best] if fires else order
        could = "could then cut" if done.levers else "could cut"
        found += [_finding(*left[place], outlooks[place], could) for place in taken]
        if fires:
            done.add(left[best][1])
        left = [each for place, each in enumerate(left) if place not in taken]
    return found


def _last_resort(patterns: list[tuple[Rule, Pattern]], others: list[Finding]) -> list[Finding]:
    """What is said where nothing else is, and before it where that would gain less than is not recorded."""
    fired = [each for each in others if each.verdict is Verdict.FIRES]
    explained = max((each.gain.high for each in fired if each.gain is not None), default=1.0 if fired else 0.0)
    nothing = _Outlook(None, None, False)
    return [
        _finding(rule, replace(pattern, urgent=True), nothing, "")
        if not fired or pattern.costs > explained
        else _silent(rule, Quiet(f"Other recommendations explain the step, first: {fired[0].title}."))
        for rule, pattern in patterns
    ]


def _most_precise(left: list[tuple[Rule, Pattern]], outlooks: list[_Outlook], order: list[int]) -> int:
    """The best change, or a special case of it that fires too and gains most of the same."""
    best = order[0]
    enough = _MOST_OF_IT * outlooks[best].judged
    for place in order[1:]:
        rule, pattern = left[place]
        if rule.case_of == left[best][0].id and outlooks[place].gain is not None and outlooks[place].judged >= enough:
            return place if _verdict(pattern, outlooks[place]) is Verdict.FIRES else best
    return best


@dataclass(frozen=True, slots=True)
class _Outlook:
    """What a change would bring after those above it."""

    gain: Gain | None
    step_ms: tuple[float, float] | None
    replayed: bool
    firm: float | None = None  # of a bound the gain that it is judged by; None for a range

    @property
    def judged(self) -> float:
        """What counts for thresholds and for the order; of no gain nothing.

        Of a range little more than its low end: a cause of half the step is not to be kept silent because its range is wide.
        """
        if self.gain is None:
            return 0.0
        return self.gain.low + JUDGED_AT * (self.gain.high - self.gain.low) if self.firm is None else self.firm


def _outlook(pattern: Pattern, predictor: Predictor, done: _Done, doubted: bool) -> _Outlook:
    if pattern.of_window is not None:
        left = sum(max(0.0, share - done.window.get(part, 0.0)) for part, share in pattern.of_window.items())
        return _Outlook(Gain(left, left, GainKind.AT_BEST, doubted, of_recording=True), None, False)
    if pattern.lever is None:
        return _Outlook(None, None, False)
    found = predictor.predict(pattern.lever, done.levers)
    step = predictor.step_ms or 1.0
    high = max(0.0, (found.before_ms - found.low_ms) / step)
    low = min(high, max(0.0, (found.before_ms - found.high_ms) / step))
    firm = None if found.firm_ms is None else min(low, max(0.0, (found.before_ms - found.firm_ms) / step))
    gain = Gain(low, high, found.kind, doubted or found.weak or pattern.doubted)
    return _Outlook(gain, (found.low_ms, found.high_ms), found.replayed, firm)


def _worth(rule: Rule, pattern: Pattern, outlook: _Outlook) -> tuple[bool, bool, float, float]:
    """Changes that would fire first, those of every step before those of some; then by the gain they are judged by and the high end.

    What has no gain comes last, unless what it costs was measured.
    """
    gain = outlook.gain
    if gain is None:
        return pattern.costs > 0, pattern.costs > 0, pattern.costs, pattern.costs
    return _verdict(pattern, outlook) is Verdict.FIRES, not rule.of_some_steps, outlook.judged, gain.high


def _verdict(pattern: Pattern, outlook: _Outlook) -> Verdict:
    gain = outlook.gain
    if pattern.urgent:
        return Verdict.FIRES
    if gain is None or (pattern.holds_in is not None and pattern.holds_in < HOLDS):
        return Verdict.QUIET
    if pattern.must_replay and not outlook.replayed:
        return Verdict.CANNOT_TELL if outlook.judged >= NOTES else Verdict.QUIET
    if outlook.judged >= max(FIRES, pattern.least):
        return Verdict.FIRES
    return Verdict.NOTE if outlook.judged >= NOTES else Verdict.QUIET


def _finding(rule: Rule, pattern: Pattern, outlook: _Outlook, could: str) -> Finding:
    verdict = _verdict(pattern, outlook)
    unknown = verdict is Verdict.CANNOT_TELL
    return Finding(
        rule=rule.id,
        verdict=verdict,
        title=pattern.title,
        summary=pattern.summary,
        evidence=pattern.evidence,
        gain=None if unknown else outlook.gain,
        step_ms=None if unknown else outlook.step_ms,
        promise=(_promise(pattern, outlook, could) or pattern.asks) if verdict is Verdict.FIRES else "",
        code=pattern.code or rule.code,
        wrong_when=rule.wrong_when,
        option=_NOT_REPLAYED if unknown else "",
    )


def _promise(pattern: Pattern, outlook: _Outlook, could: str) -> str:
    """`Loading data in 4 worker processes could cut the step to 118–136 ms.`; an upper bound on the gain is marked as one."""
    if outlook.step_ms is None or not pattern.subject:
        return ""
    low, high = (milliseconds(1e6 * ms) for ms in outlook.step_ms)
    if outlook.step_ms[0] < _NEXT_TO_NOTHING * outlook.step_ms[1]:
        # Of several changes without a device each bound takes what lies between them, and together they may take all.
        return f"{pattern.subject} {could} the step to {high} or less."
    if low == high:
        bound = outlook.gain is not None and outlook.gain.kind is GainKind.AT_BEST
        return f"{pattern.subject} {could} the step to {low}{' (upper bound on the gain)' if bound else ''}."
    (least, unit), most = low.split(" "), high
    return f"{pattern.subject} {could} the step to {f'{least}–' if high.endswith(f' {unit}') else f'{low} – '}{most}."


def _silent(rule: Rule, said: Quiet | CannotTell) -> Finding:
    cannot = isinstance(said, CannotTell)
    return Finding(
        rule=rule.id,
        verdict=Verdict.CANNOT_TELL if cannot else Verdict.QUIET,
        title=rule.title,
        summary=said.reason,
        evidence=(),
        gain=None,
        step_ms=None,
        promise="",
        code=rule.code,
        wrong_when=rule.wrong_when,
        option=said.option if isinstance(said, CannotTell) else "",
    )
