"""What a process says of itself to whoever monitors it: one fact a line, with rates of the time that was waited."""

from __future__ import annotations

import os
import time

from stepscope.capture.remote.usage import usage_text


def test_facts_of_this_process() -> None:
    waited: list[float] = []

    def wait() -> None:
        time.sleep(0.05)
        waited.append(0.05)

    facts = dict(line.split(": ", 1) for line in usage_text(wait).splitlines())
    assert len(waited) == 1
    assert (facts["process"], facts["framework"], facts["capturing"]) == (str(os.getpid()), "python", "no")
    assert float(facts["process rss_mib"].replace(",", "")) > 5
    assert "cpu used_percent" in facts, "a rate, which takes two readings"
