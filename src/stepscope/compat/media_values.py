"""Lists of images and sounds as TensorBoard's plugins give them: their tags, and how many a step has."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stepscope.compat.json_text import answer
from stepscope.compat.logged import Logged, listed
from stepscope.compat.markdown_html import markdown_html
from stepscope.compat.route import Answer
from stepscope.compat.served import Served
from stepscope.model.errors import StepscopeError
from stepscope.queries.blobs import BlobSeries, Outline

_LOOKED_AT = 100

CountOf = Callable[[Outline], int]
"""How many images or sounds a value has, by what is known of it without reading all of it."""


def series_of(served: Served, one: Logged) -> BlobSeries:
    """The values of one run and tag."""
    return served.blobs.open(served.view(), one.run_id, one.name, one.kind)


def samples_at(served: Served, series: BlobSeries, place: int, count_of: CountOf) -> int:
    """How many one step has; a value that cannot be read has none, and the others stay."""
    try:
        return count_of(served.blobs.outline(series, place))
    except StepscopeError:
        return 0


def most_samples(served: Served, one: Logged, count_of: CountOf) -> int:
    """The most of any step, of at most a hundred that are looked at."""
    series = series_of(served, one)
    return max((samples_at(served, series, place, count_of) for place in _looked_at(len(series))), default=0)


def tags_answer(served: Served, plugin: str, count_of: CountOf) -> Answer:
    """Tags of every run, with their names, descriptions and samples."""
    return answer(
        {
            run: {
                tag: {
                    "displayName": one.display_name,
                    "description": markdown_html(one.description),
                    "samples": most_samples(served, one, count_of),
                }
                for tag, one in tags.items()
            }
            for run, tags in listed(served, plugin).items()
        }
    )


def _looked_at(steps: int) -> list[int]:
    """Places spread over a series, with both ends, so that a list of tags does not read all values."""
    return np.unique(np.linspace(0, steps - 1, min(steps, _LOOKED_AT)).round().astype(int)).tolist()
