"""Columns that many answers share have one type, unit and meaning, wherever they are used."""

from __future__ import annotations

from msgspec import Struct

import answer_pages
from stepscope.model.declared import columns
from stepscope.model.shared_columns import Epoch, Notices, Problem, RunKey, TagName
from stepscope.server.app import all_routes


class Row(Struct):
    """All of them."""

    epoch: Epoch
    run: RunKey
    tag: TagName
    problem: Problem
    notices: Notices


def test_types_and_units() -> None:
    found = {column.key: column for column in columns(Row)}
    assert {key: (column.type, column.unit) for key, column in found.items()} == {
        "epoch": ("integer", "count"),
        "run": ("text", ""),
        "tag": ("text", ""),
        "problem": ("text or null", ""),
        "notices": ("list of text", ""),
    }
    assert all(column.meaning for column in found.values())


def test_every_answer_that_has_an_epoch_means_the_same_by_it() -> None:
    kinds = {kind for route in all_routes() for kind in answer_pages.answers_of(route)}
    meant = {column.meaning for kind in kinds for column in columns(kind) if (column.key, column.type) == ("epoch", "integer")}
    assert len(meant) == 1
