"""TensorBoard's scalars plugin: every point of every series, where TensorBoard gives a sample of a thousand."""

from __future__ import annotations

from collections.abc import Iterator

from stepscope.compat.json_text import Columns, answer, members, points, points_csv
from stepscope.compat.logged import Logged, found_one, listed
from stepscope.compat.markdown_html import markdown_html
from stepscope.compat.route import CSV, MAX_REQUESTS, Answer, Pieces, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere, TooMuch

PLUGIN = "scalars"


def columns_of(served: Served, one: Logged) -> Columns:
    """Wall time, step and value of every point that no restart has superseded. Raises NotThere."""
    held = served.series.open(served.view().source(one.run_id, one.tag), "latest")
    if held is None:
        raise NotThere(f"The tag {one.name!r} no longer has any points.", "unknown_series")
    step, wall, value, _ = held.series.arrays()
    return wall, step, value


def described(found: dict[str, dict[str, Logged]]) -> dict[str, dict[str, dict[str, str]]]:
    """The display name and description of each tag of each run."""
    return {
        run: {tag: {"displayName": one.display_name, "description": markdown_html(one.description)} for tag, one in tags.items()}
        for run, tags in found.items()
    }


def points_answer(served: Served, run: str, tag: str, form: str | None) -> Answer:
    """One series as JSON, or as CSV. Raises NotThere."""
    columns = columns_of(served, found_one(served, PLUGIN, run, tag))
    return Pieces(points_csv(columns), CSV) if form == "csv" else Pieces(points(columns))


def _tags(served: Served, _: Question) -> Answer:
    return answer(described(listed(served, PLUGIN)))


def _scalars(served: Served, question: Question) -> Answer:
    return points_answer(served, *question.run_and_tag(), question.arg("format"))


def _scalars_multirun(served: Served, question: Question) -> Answer:
    tags, runs = question.form.get("tag", []), question.form.get("runs", [])
    if len(tags) != 1:
        raise BadInput("The form must have the field tag exactly once.", "bad_form")
    if len(runs) > MAX_REQUESTS:
        raise TooMuch(f"At most {MAX_REQUESTS:,} runs can be requested at once.", "too_many_runs")
    return Pieces(members(_of_runs(served, dict.fromkeys(runs), tags[0])))


def _of_runs(served: Served, runs: dict[str, None], tag: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    for run in runs:
        try:
            columns = columns_of(served, found_one(served, PLUGIN, run, tag))
        except NotThere:
            continue
        yield run, points(columns)


ROUTES = (
    plugin_route(PLUGIN, "tags", "Display name and description of every scalar tag of every run.", _tags),
    plugin_route(PLUGIN, "scalars", "Points of a run and tag, as JSON or CSV.", _scalars),
    plugin_route(PLUGIN, "scalars_multirun", "Points of a tag in several runs.", _scalars_multirun, post_only=True),
)
