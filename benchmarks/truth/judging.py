"""Reads the recording of a slow training as users do, and holds what is said beside what was measured."""

from __future__ import annotations

import os
from typing import Any

from stepscope.analyses.what_if.levers import LeverKind
from stepscope.analyses.what_if.prediction import Context, Prediction, plain_range, predict, replay_context, soonest_ms
from stepscope.formats.span_attributes import span_attributes
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import Wanted
from truth.cases import Case
from truth.noise import measured
from truth.rule_levers import lever_of

Found = dict[str, Any]


def judge_pair(case: Case, found: Found) -> Found:
    """One row of the results; `found` is what the pair's process printed."""
    row: Found = {"name": case.name, "framework": case.framework, "cause": case.cause}
    if "error" in found:
        return failed(case, found["error"])
    before, after = (measured(found[key]) for key in ("before", "after"))
    session = profile_at(found["path"], Opening(cache=False)).analysed(Wanted())
    summary = session.summary
    context = replay_context(session.profiles, summary.breakdowns, cores=os.cpu_count(), unprofiled_ns=before["median_ms"] * 1e6)
    judged = judge(summary, span_attributes, os.cpu_count(), unprofiled_ns=before["median_ms"] * 1e6)
    fired = judged.of(Verdict.FIRES)
    row |= {
        "before": before,
        "after": after,
        "recorded_ms": summary.median_ns / 1e6,
        "first": fired[0].rule if fired else None,
        "title": fired[0].title if fired else None,
        "said": fired[0].summary if fired else None,
        "named_first": bool(fired) and fired[0].rule in case.rules,
        "fired": [each.rule for each in fired],
        "named": next((each.rule for each in fired if each.rule in case.rules), case.rules[0]),
    }
    if case.untold:
        said = next(each for each in judged.findings if each.rule == case.rules[0])
        promises = [each for each in fired if each.step_ms is not None]
        return row | {"untold": said.verdict is Verdict.CANNOT_TELL and not promises, "said": said.summary, "option": said.option}
    if case.refused:
        asked = _asked(context, case.refused)
        return row | {"refused": asked.refused is not None, "reason": asked.refused, "lever": case.refused}
    return row | _predicted(context, case.lever, after["median_ms"]) if case.lever else row


def failed(case: Case, error: str) -> Found:
    """A pair that could not be run or judged: it named nothing, and held nothing that it promised."""
    row: Found = {
        "name": case.name,
        "framework": case.framework,
        "cause": case.cause,
        "error": error,
        "first": None,
        "named_first": False,
    }
    promised = {"covered": False} if case.lever else {"refused": False} if case.refused else {}
    return row | promised | ({"untold": False} if case.untold else {})


def _asked(context: Context, lever: str) -> Prediction:
    return predict(context, [lever_of(lever, context)])


def _predicted(context: Context, lever: str, measured: float) -> Found:
    """The range as the model has it, which calibrate.py widens.

    A lever that has no pair yet is judged like the others: that is how it gets its first.
    """
    asked, levers = _asked(context, lever), [lever_of(lever, context)]
    row: Found = {"lever": lever, "kind": asked.kind.value}
    if asked.refused is not None:
        return row | {"covered": False, "reason": asked.refused}
    low, high = plain_range(context, levers)
    return row | {
        "baseline_ms": asked.baseline_ms,
        "plain_ms": [low, high],
        "moves": levers[0].facts.kind is LeverKind.MOVES,
        "soonest_ms": soonest_ms(context, levers),
        "off": (low + high) / 2 / measured - 1,
    }
