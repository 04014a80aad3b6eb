"""TensorBoard's time series plugin: scalars, histograms and images of many series in one answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from stepscope.compat.histogram_rows import histogram_rows
from stepscope.compat.json_text import answer, cleaned, members, points
from stepscope.compat.logged import Logged, found_one, listed
from stepscope.compat.markdown_html import markdown_html
from stepscope.compat.media_values import most_samples
from stepscope.compat.route import MAX_REQUESTS, Answer, Pieces, Question, plugin_route
from stepscope.compat.routes.histograms import MOST_STEPS
from stepscope.compat.routes.images import image_answer, steps_with
from stepscope.compat.routes.scalars import columns_of
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.queries.image_values import image_count

PLUGIN = "timeseries"
_PLUGINS = ("scalars", "histograms", "images")

Found = dict[str, dict[str, Logged]]


def _tags(served: Served, _: Question) -> Answer:
    scalars, histograms, images = (listed(served, plugin) for plugin in _PLUGINS)
    samples: dict[str, dict[str, dict[str, int]]] = {}
    for run, tags in images.items():
        for tag, one in tags.items():
            samples.setdefault(tag, {})[run] = {"maxSamplesPerStep": most_samples(served, one, image_count)}
    return answer(
        {
            "scalars": {"runTagInfo": _names(scalars), "tagDescriptions": _descriptions(scalars)},
            "histograms": {"runTagInfo": _names(histograms), "tagDescriptions": _descriptions(histograms)},
            "images": {"tagDescriptions": _descriptions(images), "tagRunSampledInfo": samples},
        }
    )


def _names(found: Found) -> dict[str, list[str]]:
    return {run: sorted(tags) for run, tags in found.items()}


def _descriptions(found: Found) -> dict[str, str]:
    """The description of each tag that has one; several that differ are put under headings with their runs."""
    by_tag: dict[str, set[str]] = {}
    by_text: dict[str, set[str]] = {}
    for run, tags in found.items():
        for tag, one in tags.items():
            if one.description:
                by_tag.setdefault(tag, set()).add(one.description)
                by_text.setdefault(one.description, set()).add(run)
    return {tag: markdown_html(_joined(sorted(texts), by_text)) for tag, texts in by_tag.items()}


def _joined(texts: list[str], by_text: dict[str, set[str]]) -> str:
    if len(texts) == 1:
        return texts[0]
    parts = [f"## For run{'s' if len(by_text[text]) > 1 else ''}: {', '.join(sorted(by_text[text]))}\n{text}" for text in texts]
    return "\n".join(["# Multiple descriptions", *parts])


def _time_series(served: Served, question: Question) -> Answer:
    given = (question.form.get("requests") or [""])[0] if question.is_post else question.arg("requests")
    if not given:
        raise BadInput("The field requests is missing.", "missing_parameter")
    try:
        requests = msgspec.json.decode(given, type=list[dict[str, Any]])
    except (msgspec.DecodeError, RecursionError):
        raise BadInput("The field requests must be a JSON array of objects.", "bad_parameter") from None
    if len(requests) > MAX_REQUESTS:
        raise TooMuch(f"At most {MAX_REQUESTS:,} series can be requested at once.", "too_many_series")
    return Pieces(_answers(served, requests))


def _answers(served: Served, requests: list[dict[str, Any]]) -> Iterator[bytes]:
    between = b"["
    for request in requests:
        yield between
        yield from _one_answer(served, request)
        between = b","
    yield b"[]" if not requests else b"]"


def _one_answer(served: Served, request: dict[str, Any]) -> Iterator[bytes]:
    plugin, tag, run, sample = (request.get(name) for name in ("plugin", "tag", "run", "sample"))
    said: dict[str, Any] = {"plugin": plugin, "tag": tag}
    if isinstance(run, str):
        said["run"] = run
    if isinstance(sample, int):
        said["sample"] = sample
    problem = _problem(plugin, tag, run, sample)
    if problem:
        yield msgspec.json.encode(cleaned({**said, "error": problem}))
        return
    yield msgspec.json.encode(cleaned(said))[:-1] + b',"runToSeries":'
    runs = [run] if run else list(served.runs())
    if plugin == "scalars":
        yield from members(_scalars(served, cast("str", tag), runs))
    else:
        yield msgspec.json.encode(cleaned(_media(served, cast("str", plugin), cast("str", tag), runs[0], sample)))
    yield b"}"


def _problem(plugin: object, tag: object, run: object, sample: object) -> str:
    """What a request lacks, in the words that TensorBoard's page knows."""
    if not isinstance(tag, str):
        return "Missing tag"
    if plugin not in _PLUGINS:
        return "Invalid plugin"
    if plugin != "scalars" and not isinstance(run, str):
        return "Missing run"
    if plugin == "images" and not isinstance(sample, int):
        return "Missing sample"
    return ""


def _scalars(served: Served, tag: str, runs: list[str]) -> Iterator[tuple[str, Iterator[bytes]]]:
    for run in runs:
        try:
            columns = columns_of(served, found_one(served, "scalars", run, tag))
        except NotThere:
            continue
        yield run, points(columns, named=True)


def _media(served: Served, plugin: str, tag: str, run: str, sample: Any) -> dict[str, list[dict[str, Any]]]:  # noqa: ANN401
    """The steps of a run; empty when it has none."""
    try:
        one = found_one(served, plugin, run, tag)
    except NotThere:
        return {}
    if plugin == "images":
        steps = steps_with(served, one, sample) if sample >= 0 else iter(())
        found = [{"step": step, "wallTime": wall, "imageId": key.text} for step, wall, key in steps]
        return {run: found} if found else {}
    return {
        run: [
            {"wallTime": wall, "step": step, "bins": [{"min": low, "max": high, "count": count} for low, high, count in rows.tolist()]}
            for wall, step, rows in histogram_rows(served, one, MOST_STEPS)
        ]
    }


def _image_data(served: Served, question: Question) -> Answer:
    return image_answer(served, question.needed("imageId"))


ROUTES = (
    plugin_route(PLUGIN, "tags", "Tags of scalars, histograms and images of every run, with descriptions.", _tags),
    plugin_route(PLUGIN, "timeSeries", "Points, buckets or image ids of several series.", _time_series),
    plugin_route(PLUGIN, "imageData", "The bytes of an image.", _image_data),
)
