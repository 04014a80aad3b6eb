"""Judges kept recordings of a development run again, in seconds: `make truth TRUTH="--seed 1 --keep FOLDER"` makes such a folder.

Rules and model are those of the code as it is; the times are those that were measured.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec

from stepscope.model.errors import StepscopeError
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.parts.report import REPORT, ReportWanted
from truth.held_out.measure import TIMES, line
from truth.held_out.page import DEVELOPMENT
from truth.held_out.plan import Case
from truth.held_out.scoring import counted, scored
from truth.held_out.training import OPTIONS

Found = dict[str, Any]


def judge_again(folder: Path, cores: int) -> Found:
    """One row, as a run would have it; the advice of other rules is not followed again."""
    told: Found = json.loads((folder / TIMES).read_text())
    before, after = told.pop("before"), told.pop("after")
    case = Case(**{**told, "causes": tuple(told["causes"])})
    try:
        reports = {options: findings(folder / options, before["median_ms"], cores) for options in OPTIONS}
    except StepscopeError as error:
        return told | {"not_counted": "failed", "error": str(error)}
    return told | scored(case, before, after, reports) | {"findings": reports}


def findings(path: Path, step_ms: float, cores: int) -> list[Found]:
    """What the report says, in this process."""
    report = profile_at(str(path), Opening(cache=False)).answer(REPORT, ReportWanted(cores=cores, step_ms=step_ms))
    return msgspec.to_builtins(report.findings)


def main() -> None:
    """Prints a line for every case, what fired where it missed, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="made by measure.py with --keep")
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--publish", type=int, nargs="+", metavar="SEED", help="write the counts as those of these development seeds")
    given = parser.parse_args()
    cores = os.cpu_count() or 1
    folders = sorted(path.parent for each in given.folders for path in each.glob(f"*{given.only}*/{TIMES}"))
    with ProcessPoolExecutor(cores) as pool:
        rows = list(pool.map(partial(judge_again, cores=cores), folders))
    for row in rows:
        print(line(row), *(f"\n    {text}" for text in said(row)))
    able = [row for row in rows if row["not_counted"] != "failed"]
    counts = {options: counted(able, options) for options in OPTIONS}
    print(json.dumps(counts, indent=2))
    if given.publish:
        newest = max((folder / TIMES).stat().st_mtime for folder in folders)
        date = dt.datetime.fromtimestamp(newest, dt.UTC).date().isoformat()
        DEVELOPMENT.write_text(json.dumps({"seeds": given.publish, "date": date, "counts": counts}, indent=2) + "\n")


def said(row: Found) -> list[str]:
    """Of every recording the recommendations, and the range of the first beside what was measured."""
    lines: list[str] = []
    for options, found in row.get("findings", {}).items():
        judged = row["judged"][options]
        held = "" if "held" not in judged else "held" if judged["held"] else "MISSED"
        lines.append(f"{options}: {judged['outcome']} {held}")
        for each in found:
            if each["verdict"] == "fires":
                step = each["step_ms"]
                times = f"{step['low']:.2f}–{step['high']:.2f} ({each['gain']['kind']})" if step else ""
                lines.append(f"  {each['rule']} {times}: {each['summary']}")
    return lines


if __name__ == "__main__":
    main()
