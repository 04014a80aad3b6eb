"""Throughput of a report: rates that are certain, their origin, and what the user would have to say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from session.drawn_sessions import drawn
from stepscope.analyses.throughput.epochs import Epoch
from stepscope.analyses.throughput.throughput import Throughput
from stepscope.session.report.columns import RateRow
from stepscope.session.report.rates import marked_epochs, rate_rows, rates, throughput_of

KNOWN = Throughput(
    step_ns=10e6,
    steps_per_second=100.0,
    ranks=1,
    batch=32,
    batch_source="the shape of the input",
    examples_per_second=3_200.0,
    tokens_per_second=None,
    input_bytes_per_second=None,
    copied_bytes_per_second=None,
    unknown="",
)


def by_rate(found: Throughput, tokens: int | None = None) -> dict[str, RateRow]:
    return {row.rate: row for row in rate_rows(found, tokens)}


def test_steps_of_the_picture() -> None:
    found = throughput_of(drawn(), None, None)
    assert (found.steps_per_second, found.batch, found.examples_per_second) == (pytest.approx(100), None, None)
    assert found.unknown


def test_examples_and_tokens_follow_from_what_the_user_says() -> None:
    session = drawn(ranks=2)
    found = throughput_of(session, 8, 512)
    assert (found.examples_per_second, found.tokens_per_second) == (pytest.approx(100 * 8 * 2), pytest.approx(100 * 8 * 2 * 512))
    assert throughput_of(session, 8, 512) is found


def test_every_rate_has_a_row_and_its_origin() -> None:
    rows = by_rate(KNOWN)
    assert list(rows) == ["steps", "examples", "tokens", "input"]
    assert (rows["steps"].per_second, rows["examples"].per_second, rows["tokens"].per_second) == (100.0, 3_200.0, None)
    assert "10 ms" in rows["steps"].origin
    assert "shape" in rows["examples"].origin
    assert rows["input"].per_second is None


def test_bytes_are_those_that_are_recorded() -> None:
    rows = by_rate(replace(KNOWN, input_bytes_per_second=5.0, copied_bytes_per_second=7.0, ranks=4))
    assert [(rows[rate].per_second, rows[rate].unit) for rate in ("input", "copied")] == [(5.0, "B"), (7.0, "B")]
    assert all("4 ranks" in rows[rate].origin for rate in ("examples", "input", "copied"))


def test_what_is_missing_is_asked_for() -> None:
    unknown = replace(KNOWN, batch=None, examples_per_second=None, unknown="No batch size is recorded.")
    assert by_rate(unknown)["examples"].origin == unknown.unknown
    assert len({by_rate(KNOWN)["tokens"].origin, by_rate(unknown, 512)["tokens"].origin, by_rate(KNOWN, 512)["tokens"].origin}) == 3


def test_epochs_add_their_median_to_the_facts() -> None:
    epochs = [Epoch(number, 10, seconds, None, None, None, None, None) for number, seconds in enumerate((1.0, 2.0, 9.0))]
    row = rates(KNOWN, epochs)
    assert (row.batch_size, row.batch_size_from, row.steps_per_second) == (32, KNOWN.batch_source, 100.0)
    assert len(row.facts) == len(rates(KNOWN, []).facts) + 1
    assert row.facts[-1].startswith("2 s")
    assert marked_epochs(drawn()) == []
