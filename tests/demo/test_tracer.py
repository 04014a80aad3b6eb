"""The demo's tracer: real times of nested blocks, in a trace that Stepscope reads, and nothing while it is off."""

from __future__ import annotations

import json
import time
from pathlib import Path

from stepscope.demo.tracer import Tracer


def test_spans_nest_and_have_the_times_of_their_blocks(tmp_path: Path) -> None:
    tracer = Tracer()
    with tracer.span("not recorded"):
        pass
    tracer.on = True
    before = time.time()
    with tracer.step(7), tracer.span("operation"):
        time.sleep(0.02)
    after = time.time()
    path = tmp_path / "session" / "demo.trace.json"
    tracer.write(str(path))
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    trace = json.loads(path.read_text())
    inner, outer = (event for event in trace["traceEvents"] if event["ph"] == "X")
    assert (inner["name"], inner["cat"]) == ("operation", "cpu_op")
    assert (outer["name"], outer["cat"]) == ("ProfilerStep#7", "user_annotation")
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    assert inner["dur"] >= 20_000
    began = trace["baseTimeNanoseconds"] / 1e9 + outer["ts"] / 1e6
    assert before - 0.001 <= began <= after - 0.02 + 0.001, "two clocks, which differ by less than a millisecond"
