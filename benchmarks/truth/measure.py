"""Runs every pair beside the real frameworks, judges the recordings, and counts what came true."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from truth import calibrate
from truth.cases import CASES
from truth.constant_guess import best_guess
from truth.judging import failed, judge_pair
from truth.noise import too_noisy

HERE = Path(__file__).resolve().parent
FRAMEWORKS = ("torch", "gloo", "tensorflow", "jax")
_LONGEST_SECONDS = 150
Found = dict[str, Any]


def measure(peers: str) -> Found:
    """All pairs, and how many were named first and covered. A pair that fails or misses is a row like any other."""
    with tempfile.TemporaryDirectory(prefix="stepscope_truth_") as folder:
        found = {name: each for framework in FRAMEWORKS for name, each in run(peers, framework, Path(folder)).items()}
        rows: list[Found] = []
        for case in CASES:
            told = found.get(case.name, {"error": "its process ended before it was run"})
            try:
                rows.append(judge_pair(case, told))
            except Exception as error:  # noqa: BLE001 (a pair that cannot be judged is a miss, and must not hide the others)
                rows.append(failed(case, f"{type(error).__name__}: {error}"))
    calibrate.hold(rows)
    calibrate.write(rows)
    print("\n".join(map(line, rows)), file=sys.stderr, flush=True)
    return {"date": dt.datetime.now(dt.UTC).date().isoformat(), "pairs": rows, **counted(rows)}


def run(peers: str, framework: str, folder: Path) -> dict[str, Found]:
    """What one framework's process printed, by pair."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "JAX_PLATFORMS": "cpu", "KINETO_LOG_LEVEL": "99"}
    print(f"running pairs: {framework}", file=sys.stderr, flush=True)
    command = [peers, str(HERE / f"in_{framework}.py"), str(folder)]
    with (folder / f"{framework}.out").open("w+") as output, (folder / f"{framework}.err").open("w+") as errors:
        try:
            code = subprocess.run(
                command, stdout=output, stderr=errors, env=environment, check=False, timeout=_LONGEST_SECONDS
            ).returncode
        except subprocess.TimeoutExpired:
            code = 1
        if code:
            errors.seek(0)
            print(f"in_{framework}.py failed:\n{errors.read()[-2000:]}", file=sys.stderr)
        output.seek(0)
        told = [json.loads(each) for each in output if each.startswith('{"name"')]
    return {each["name"]: each for each in told}


def counted(rows: list[Found]) -> Found:
    """How often the cause was named first, how often the range held, how wide ranges are, and whether crowding was refused."""
    clear = [row for row in rows if not too_noisy(row)]
    promised = [row for row in clear if "covered" in row]
    visible = [row for row in clear if "untold" not in row]
    untold = [row["untold"] for row in rows if "untold" in row]
    refusals = [row for row in rows if "refused" in row]
    widths = sorted(row["width"] for row in promised if row.get("width") is not None)
    return {
        "spread": calibrate.spread_of(rows),
        "quiet": calibrate.is_quiet(rows),
        "too_noisy": len(rows) - len(clear),
        "causes": len(visible),
        "named_first": sum(row["named_first"] for row in visible),
        "untold": all(untold) if untold else None,
        "promised": len(promised),
        "covered": sum(row["covered"] for row in promised),
        "median_width": widths[len(widths) // 2] if widths else None,
        "guess": best_guess([(row["before"]["median_ms"], row["after"]["median_ms"]) for row in promised if "before" in row], widths),
        "refused": all(row["refused"] for row in refusals) and bool(refusals),
    }


def line(row: Found) -> str:
    """One pair, for whoever watches."""
    if "first" not in row or row["first"] is None:
        return f"{row['name']:28} {row.get('error', 'nothing fires')}"
    if "untold" in row:
        return f"{row['name']:28} {'cannot tell, as it should be' if row['untold'] else 'WRONG'}: {row['fired']} {row['said']}"
    times = f"{row['before']['median_ms']:6.2f} -> {row['after']['median_ms']:6.2f} ms"
    if "low_ms" in row:
        needed = f" needs {row['needed_band']:.0%}"
        return (
            f"{row['name']:28} {'first' if row['named_first'] else 'NOT FIRST'} {row['first']:20} {times} "
            f"said {row['low_ms']:6.2f} to {row['high_ms']:6.2f} {'' if row['covered'] else 'MISSED'}{needed} ({row['kind']})"
        )
    return f"{row['name']:28} {'first' if row['named_first'] else 'NOT FIRST'} {row['first']:20} {times} {row.get('reason', '')}"
