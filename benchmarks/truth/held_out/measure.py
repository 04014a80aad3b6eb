"""Measures the drawn trainings beside the real frameworks: `make truth` for the held-out set, `--seed 1` to develop.

A run that was stopped goes on where it was, as long as the code is the same.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from measured_at import commit, libraries, machine
from truth import page
from truth.held_out.page import EARLIER, RESULTS, earlier, results_section, without_cases
from truth.held_out.plan import DEVELOPMENT_SEED, HELD_OUT_SEED, Case, digest, draw
from truth.held_out.rounds import compared, slower, uncertainty
from truth.held_out.scoring import counted, scored
from truth.held_out.training import OPTIONS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TIMES = "times.json"
"""What was measured, beside kept recordings."""
_LONGEST_SECONDS = 240
MOST_LOAD = 0.5
"""Programs that want a core at once, for each core: beyond that most trainings would be too noisy to count."""
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2", "JAX_PLATFORMS": "cpu", "KINETO_LOG_LEVEL": "99"}
Found = dict[str, Any]


def measure_case(case: Case, peers: str, keep: Path | None = None) -> Found:
    """One row: times, what was said of each recording, and what following other advice than that of the cause did.

    With `keep`, the recordings and times stay in a folder of the case there, for again.py.
    """
    row = asdict(case)
    with kept_folder(keep, case.name) as folder:
        told = trained(case, peers, folder)
        if "error" in told:
            return row | {"not_counted": "failed", "error": told["error"]}
        before, after = compared(told["before"], told["after"])
        if keep is not None:
            (Path(folder) / TIMES).write_text(json.dumps({**row, "before": before, "after": after}))
        try:
            reports = {options: findings(path, before["median_ms"]) for options, path in told["recordings"].items()}
        except subprocess.CalledProcessError as error:  # one profile that cannot be reported is a row, and must not end the run
            return row | {"not_counted": "failed", "error": f"report: {error.stderr[-400:]}"}
    row |= scored(case, before, after, reports) | {"units": told["units"]}
    usual = row["judged"]["default"]
    if not row["not_counted"] and usual["first"] and usual["outcome"] != "first":
        row["advice"] = followed(case, peers, told["units"], usual["first"])
    return row


@contextmanager
def kept_folder(keep: Path | None, name: str) -> Iterator[str]:
    """An empty folder for the recordings of a case: its own in `keep`, or one that is removed at the end."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="stepscope_truth_") as folder:
            yield folder
        return
    shutil.rmtree(keep / name, ignore_errors=True)
    (keep / name).mkdir(parents=True)
    yield str(keep / name)


def trained(case: Case, peers: str, folder: str, **more: object) -> Found:
    """What the process of the case printed."""
    command = [peers, str(HERE / f"with_{case.framework}.py"), json.dumps(asdict(case) | more), folder]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LONGEST_SECONDS, env=os.environ | _QUIET)
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {_LONGEST_SECONDS} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"name"')]
    return json.loads(lines[-1]) if lines else {"error": done.stderr[-400:]}


def followed(case: Case, peers: str, units: dict[str, int], rule: str) -> Found | None:
    """The step when the advice of a rule is followed, and whether it is slower; None where the training has no such change."""
    with tempfile.TemporaryDirectory(prefix="stepscope_truth_") as folder:
        told = trained(case, peers, folder, advice=rule, units=units)
    if "error" in told:
        return None
    before, after = compared(told["before"], told["after"])
    return {"rule": rule, "before_ms": before["median_ms"], "after_ms": after["median_ms"], "slower": slower(before, after)}


def findings(path: str, step_ms: float) -> list[Found]:
    """What the report says, as users read it: the whole program, with the step time that their loop prints."""
    command = [sys.executable, "-m", "stepscope", "profile", "report", path, "--json", "--no-cache"]
    command += ["--cores", str(os.cpu_count()), "--step-ms", str(step_ms)]
    found: Found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found["findings"]


def measure(seed: int, peers: str, only: str = "", most: int | None = None, keep: Path | None = None) -> Found:
    """All cases of a seed, as far as they are not measured with this code yet."""
    cases, begun_at = draw(seed), commit()
    kept = ROOT / "build" / "truth" / f"{digest(cases)}-{begun_at}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    rows: dict[str, Found] = {}
    if kept.exists():
        rows = measured_before(kept.read_text())
    wanted = [case for case in cases if only in case.name and case.name not in rows][:most]
    for place, case in enumerate(wanted):
        row = measure_case(case, peers, keep)
        with kept.open("a") as file:
            file.write(json.dumps(row) + "\n")
        rows[case.name] = row
        # Of the held-out set only counts are shown: nobody is to develop on its cases.
        told = "" if seed == HELD_OUT_SEED else line(row)
        print(f"{place + 1} of {len(wanted)} {told}", file=sys.stderr, flush=True)
    found = [rows[case.name] for case in cases if case.name in rows]
    able = [row for row in found if row["not_counted"] != "failed"]
    return {
        "seed": seed,
        "list": digest(cases),
        "planned": len(cases),
        "commit": begun_at,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": machine(),
        "libraries": libraries(peers),
        "failed": len(found) - len(able),
        "counts": {options: counted(able, options) for options in OPTIONS},
        "cases": found,
    }


def measured_before(lines: str) -> dict[str, Found]:
    """Rows of an earlier run by their name; a training that failed is run again."""
    rows: list[Found] = [json.loads(each) for each in lines.splitlines()]
    return {row["name"]: row for row in rows if row["not_counted"] != "failed"}


def refuse_when_busy(load: float, cores: int) -> None:
    """The held-out set is measured once: not while something else uses the machine."""
    if load > MOST_LOAD * cores:
        raise SystemExit(f"The machine is busy (load {load:.1f} on {cores} cores): wait until it is idle, then run make truth again.")


def line(row: Found) -> str:
    """One case, for whoever watches."""
    if "judged" not in row:
        return f"{row['name']}: failed: {row['error'][-200:]}"
    said = ", ".join(f"{options}: {each['outcome']} ({each['first']})" for options, each in row["judged"].items())
    times = f"{row['before']['median_ms']:.1f} -> {row['after']['median_ms']:.1f} ms, uncertain by {uncertainty(row['after']):.0%}"
    return f"{row['name']}: {times} {row['not_counted']} {said} {row.get('advice') or ''}"


def main() -> None:
    """Writes the results of the held-out set when it is complete; those of other seeds are only printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=HELD_OUT_SEED, help=f"the held-out set, or another: {DEVELOPMENT_SEED} to develop")
    parser.add_argument("--only", default="", help="cases with this in their name; not of the held-out set")
    parser.add_argument("--most", type=int, help="no more cases than this; not of the held-out set")
    parser.add_argument("--keep", type=Path, help="keep recordings and times in this folder, for again.py; not of the held-out set")
    parser.add_argument("--page", type=Path, help="also write the results as the documentation shows them to this file")
    given = parser.parse_args()
    peers = os.environ.get("STEPSCOPE_PEERS_PYTHON")
    if not peers:
        raise SystemExit("Run `make truth`: it sets up the real frameworks.")
    if given.seed == HELD_OUT_SEED and (given.only or given.most or given.keep):
        raise SystemExit("The held-out set is measured as a whole, and none of it is kept. Give --seed to develop on another.")
    if given.seed == HELD_OUT_SEED:
        refuse_when_busy(os.getloadavg()[0], os.cpu_count() or 1)
    found = measure(given.seed, peers, given.only, given.most, given.keep)
    print(json.dumps(found["counts"], indent=2))
    if given.page:
        given.page.write_text("\n\n".join(results_section(found, page.table)) + "\n")
    if given.seed == HELD_OUT_SEED:
        publish(found)


def publish(found: Found) -> None:
    """Writes the results and the page; of a former seed the counts stay."""
    last: Found = json.loads(RESULTS.read_text()) if RESULTS.exists() else found
    if last["seed"] != found["seed"]:
        EARLIER.write_text(json.dumps([*earlier(), without_cases(last)], indent=2) + "\n")
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    page.write()


if __name__ == "__main__":
    main()
