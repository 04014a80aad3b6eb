"""What many routes are asked: a run, a tag, series, a range of x, and whether subfolders are folded into their parents."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d

MAX_TAG = 10_000

RunText = Annotated[str, Meta(max_length=64, description="Id of a run.")]
TagText = Annotated[str, Meta(max_length=MAX_TAG, description="Name of a tag.")]
Fold = Annotated[bool, d.flag("Whether torch's `add_scalars` and `add_hparams` subfolders are shown inside their parent run.")]
Range = Annotated[tuple[float, float] | None, d.on_x("Range of x, lowest first; null: everything.")]


class FoldRequest(Struct, frozen=True):
    """How runs are listed."""

    fold: Fold = True


class SeriesName(Struct, frozen=True, forbid_unknown_fields=True):
    """A run's id and a tag's name."""

    run: RunText
    tag: TagText


def most(count: int) -> Meta:
    """A bound that the document states and the handler checks, so that the error says what to do."""
    return Meta(extra_json_schema={"maxItems": count})
