"""Questions to the hparams plugin: JSON in the form of TensorBoard's messages, names in camelCase or in snake_case."""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from stepscope.compat.route import Question
from stepscope.model.errors import BadInput

STATUSES = ("STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING")
ORDERS = ("ORDER_UNSPECIFIED", "ORDER_ASC", "ORDER_DESC")
AGGREGATIONS = ("AGGREGATION_UNSET", "AGGREGATION_AVG", "AGGREGATION_MEDIAN", "AGGREGATION_MIN", "AGGREGATION_MAX")
_DEEPEST = 10
_MOST = 1 << 31

Value = float | bool | str
Choice = str | int
"""One of a list of names, by name or by place."""
Request = TypeVar("Request", bound=Struct)


class Message(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What all parts of a question have in common."""


class MetricName(Message, frozen=True, rename="camel"):
    """A metric: a tag in the run of a session, or in the folder below it that `group` names."""

    group: str = ""
    tag: str = ""


class Interval(Message, frozen=True, rename="camel"):
    """Both ends belong to it; they may be the words for infinities."""

    min_value: float | str = 0.0
    max_value: float | str = 0.0


class ColParam(Message, frozen=True, rename="camel"):
    """How one hyperparameter or metric sorts and filters the groups."""

    metric: MetricName | None = None
    hparam: str | None = None
    order: Choice = 0
    missing_values_first: bool = False
    filter_regexp: str | None = None
    filter_interval: Interval | None = None
    filter_discrete: list[Value | None] | None = None
    exclude_missing_values: bool = False
    include_in_result: bool | None = None


class ExperimentRequest(Message, frozen=True, rename="camel"):
    """Asks for hyperparameters and metrics."""

    experiment_name: str = ""
    include_metrics: bool | None = None
    hparams_limit: int | None = None


class GroupsRequest(Message, frozen=True, rename="camel"):
    """Asks for session groups."""

    experiment_name: str = ""
    allowed_statuses: list[Choice] = []
    col_params: list[ColParam] = []
    aggregation_type: Choice = 0
    aggregation_metric: MetricName | None = None
    start_index: int = 0
    slice_size: int = 0
    include_metrics: bool | None = None


class EvalsRequest(Message, frozen=True, rename="camel"):
    """Asks for the points of a metric."""

    experiment_name: str = ""
    session_name: str = ""
    metric_name: MetricName = MetricName()


def asked(question: Question, kind: type[Request]) -> Request:
    """The question's JSON: the body of a POST, or the parameter `request`. Raises BadInput."""
    text = question.body if question.is_post else (question.arg("request") or "").encode()
    try:
        return msgspec.convert(_camel(msgspec.json.decode(text), 0), kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise BadInput(f"The request is not a valid hparams request in JSON: {problem}.", "bad_request") from None


def chosen(choice: Choice, names: tuple[str, ...]) -> str:
    """The name of a choice. Raises BadInput when there is none."""
    if isinstance(choice, int) and 0 <= choice < len(names):
        return names[choice]
    if isinstance(choice, str) and choice in names:
        return choice
    raise BadInput(f"{str(choice)[:100]!r} is unknown; use one of {', '.join(names)}.", "bad_request")


def part(found: list[Any], request: GroupsRequest) -> list[Any]:
    """The groups that are asked for. Raises BadInput."""
    if not (0 <= request.start_index < _MOST and 0 <= request.slice_size < _MOST):
        raise BadInput("startIndex and sliceSize must be whole numbers, 0 or more.", "bad_request")
    return found[request.start_index : request.start_index + request.slice_size]


def _camel(found: object, depth: int) -> object:
    """The same with names as the messages spell them."""
    if depth > _DEEPEST:
        raise BadInput("The request is nested too deeply.", "bad_request")
    if isinstance(found, dict):
        entries = cast("dict[str, object]", found).items()
        return {re.sub(r"_([a-z])", lambda match: match[1].upper(), key): _camel(value, depth + 1) for key, value in entries}
    if isinstance(found, list):
        return [_camel(value, depth + 1) for value in cast("list[object]", found)]
    return found
