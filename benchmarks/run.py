"""Measures Stepscope beside the real TensorBoard loaders; writes benchmarks/results.json and docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import capture
import first_paint
import forms
import graphs
import histograms
import hparams
import images
import loading
import open_page
import profiles
import projector
import report
import serving
import trace_viewer
import truth.measure
import writer
from dataset import HUNDRED_MILLION, LARGE, SMALL, STANDARD
from measured_at import stamp


def arguments() -> argparse.Namespace:
    """What to measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=list(report.SECTIONS), help="measure only this; may repeat")
    parser.add_argument("--large", action="store_true", help="also the restart of a 5 GB folder, and 100 M points")
    parser.add_argument("--live-seconds", type=float, default=60, help="how long the live writers write")
    parser.add_argument("--rounds", type=int, default=5, help="repeats of each load")
    parser.add_argument("--skip-python-loader", action="store_true", help="leave out the loader that takes a minute")
    parser.add_argument("--profile-scale", type=float, default=1.0, help="makes the profiles smaller, to try the measurement itself")
    return parser.parse_args()


def as_installed() -> None:
    """Lets Python keep compiled modules, as pip does when it installs: else every measured start would compile the sources again."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def main() -> None:
    """Measures, prints, writes; sections that were not measured keep their last figures, and when and where those were measured."""
    given = arguments()
    as_installed()
    peers = os.environ.get("STEPSCOPE_PEERS_PYTHON")
    if not peers:
        raise SystemExit("Run `make bench`: it sets up the peers' packages that Stepscope is measured against.")
    measures: dict[str, Callable[[], Any]] = {
        "loading": lambda: loading.side_by_side(STANDARD, peers, given.rounds, not given.skip_python_loader),
        "forms": lambda: forms.measure(peers, given.rounds),
        "flipped_bit": lambda: loading.flipped_bit(STANDARD),
        "scaling": lambda: loading.scaling([SMALL, STANDARD, LARGE], min(given.rounds, 3)),
        "memory": lambda: loading.memory(LARGE),
        "mapped": lambda: loading.mapped(HUNDRED_MILLION),
        "viewport": serving.viewport,
        "live": lambda: serving.live(given.live_seconds),
        "restart": serving.restart,
        "first_paint": lambda: first_paint.first_paint(peers),
        "open_page": open_page.measure,
        "images": lambda: images.images(peers),
        "histograms": lambda: histograms.histograms(peers),
        "hparams": hparams.hparams,
        "projector": projector.projector,
        "graphs": graphs.graphs,
        "writer": lambda: writer.measure(peers),
        "capture": lambda: capture.measure(peers),
        "truth": lambda: truth.measure.measure(peers),
        "trace_viewer": lambda: trace_viewer.measure(peers, given.profile_scale),
        "profiles": lambda: profiles.measure(peers, min(given.rounds, 3), given.profile_scale),
    }
    wanted = given.only or [name for name in measures if name not in {"restart", "mapped"} or given.large]
    results: dict[str, Any] = json.loads(report.RESULTS.read_text()) if report.RESULTS.exists() else {}
    stamps = results.setdefault("stamps", {})
    for name in wanted:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        results[name] = measures[name]()
        stamps[name] = stamp(report.SOURCES[name], peers)
        print(json.dumps({name: results[name]}, indent=2), flush=True)
        report.RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    report.write()


if __name__ == "__main__":
    main()
