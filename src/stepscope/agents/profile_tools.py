"""Tools that look at profiles: their list, the report, operations, what-if and comparison."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from stepscope.agents.tool import Tool
from stepscope.model.errors import NotThere
from stepscope.queries.names import path_text
from stepscope.session.parts.compare import COMPARE, CompareWanted
from stepscope.session.parts.ops import OPS, OpsWanted
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.whatif import WHATIF, WhatIfWanted
from stepscope.session.reader import SessionOfRun
from stepscope.session.reads import Reads

SessionId = Annotated[str, Meta(max_length=64, description="Id of a profile, as `profiles` has it; empty: the newest.")]
_LEFT_OUT = ("code", "change", "wrong_when", "option", "proven", "proven_trainings")
"""Of a rule that does not fire, what would only matter if it did."""
_OPERATION = ("name", "type", "kind", "device", "rank", "count", "total_us", "self_us", "exposed_us", "share", "source")


class ProfilesAsked(Struct, forbid_unknown_fields=True):
    """How many."""

    limit: Annotated[int, Meta(ge=1, le=500, description="Most profiles to list.")] = 50


class ReportAsked(Struct, forbid_unknown_fields=True):
    """Of which profile."""

    session: SessionId = ""


class OpsAsked(Struct, forbid_unknown_fields=True):
    """Of which profile, and which rows."""

    session: SessionId = ""
    contains: Annotated[str, Meta(max_length=1_000, description="Only operations whose name contains this text.")] = ""
    limit: Annotated[int, Meta(ge=1, le=200, description="Most rows, by exposed time.")] = 30


class WhatIfAsked(Struct, forbid_unknown_fields=True):
    """Which changes."""

    changes: Annotated[str, Meta(max_length=2_000, description="Changes to try, such as `input=0,kernels=2x`; empty: list them.")] = ""
    session: SessionId = ""


class CompareAsked(Struct, forbid_unknown_fields=True):
    """Which profiles."""

    before: Annotated[str, Meta(max_length=64, description="Id of the profile before.")]
    after: Annotated[str, Meta(max_length=64, description="Id of the profile after.")]
    limit: Annotated[int, Meta(ge=1, le=200, description="Most rows.")] = 20


def _profiles(reads: Reads, asked: ProfilesAsked) -> object:
    found = reads.sessions.sessions()
    rows = [
        {
            "id": one.session.id,
            "name": one.session.name,
            "run": path_text(one.run.name),
            "time": one.session.time,
            "workers": len(one.session.files),
        }
        for one in found[: asked.limit]
    ]
    return {"total": len(found), "profiles": rows}


def _report(reads: Reads, asked: ReportAsked) -> object:
    answer: dict[str, Any] = to_builtins(reads.sessions.answer(REPORT, _session(reads, asked.session), ReportWanted()))
    for finding in answer["findings"]:
        if finding["verdict"] != "fires":
            for key in _LEFT_OUT:
                finding.pop(key)
    return answer


def _ops(reads: Reads, asked: OpsAsked) -> object:
    wanted = OpsWanted(contains=asked.contains, limit=asked.limit)
    answer: dict[str, Any] = to_builtins(reads.sessions.answer(OPS, _session(reads, asked.session), wanted))
    return {"total": answer["total"], "ops": [{key: row[key] for key in _OPERATION} for row in answer["ops"]]}


def _what_if(reads: Reads, asked: WhatIfAsked) -> object:
    return reads.sessions.answer(WHATIF, _session(reads, asked.session), WhatIfWanted(changes=asked.changes))


def _compare(reads: Reads, asked: CompareAsked) -> object:
    wanted = CompareWanted(limit=asked.limit)
    found = [reads.sessions.find(each).timed() for each in (asked.before, asked.after)]
    sessions = [reads.sessions.analysed(one, choice) for one, choice in zip(found, COMPARE.choices(wanted, 2), strict=True)]
    return COMPARE.make(sessions, wanted)


def _session(reads: Reads, session: str) -> SessionOfRun:
    if session:
        return reads.sessions.find(session)
    found = reads.sessions.sessions()
    if not found:
        raise NotThere("There are no profiles in this folder.", "no_profile")
    return found[0]


PROFILES = Tool("profiles", "List captured profiles, newest first.", ProfilesAsked, _profiles)
PROFILE_REPORT = Tool(
    "profile_report", "Summarize a profile: step time, time breakdown, recommendations with estimated savings.", ReportAsked, _report
)
PROFILE_OPS = Tool("profile_ops", "List the operations of a profile that the step waits for most.", OpsAsked, _ops)
WHAT_IF = Tool("what_if", "Estimate the step time after changes, or list the changes that can be tried.", WhatIfAsked, _what_if)
COMPARE_PROFILES = Tool(
    "compare_profiles", "Compare two profiles: what got slower or faster in a typical step.", CompareAsked, _compare
)
