"""What an experiment varies and what it measures: hyperparameters with their domains, and metrics."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar, cast

from stepscope.writer.hparams import BOOL, NUMBER, STRING, Plain, list_value
from stepscope.writer.message import Message

_TYPES: dict[type, int] = {int: NUMBER, float: NUMBER, bool: BOOL, str: STRING}
_Number = TypeVar("_Number", int, float)


class Domain(ABC):
    """The values that a hyperparameter can have; all of them are int, float, str or bool."""

    @property
    @abstractmethod
    def dtype(self) -> type:
        """The type of the values."""

    @abstractmethod
    def sample_uniform(self, rng: Any = random) -> Any:  # noqa: ANN401 (a module or a Random; any of four types)
        """One of the values, each as likely as any other."""

    @abstractmethod
    def describe(self, info: Message) -> None:
        """Adds the domain to the message about a hyperparameter."""


class _Interval(Domain, Generic[_Number]):
    """All numbers from one to another, both included."""

    def __init__(self, min_value: _Number, max_value: _Number) -> None:
        for name, value in (("min_value", min_value), ("max_value", max_value)):
            if not isinstance(value, self.dtype):
                raise TypeError(f"Give {name} as {self.dtype.__name__}, not as {type(cast('object', value)).__name__}.")
        if min_value > max_value:
            raise ValueError(f"Give a min_value that is not above max_value; {min_value!r} is above {max_value!r}.")
        self._min_value = min_value
        self._max_value = max_value

    def __str__(self) -> str:
        return f"[{self._min_value}, {self._max_value}]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._min_value!r}, {self._max_value!r})"

    @property
    def min_value(self) -> _Number:
        """The lowest value."""
        return self._min_value

    @property
    def max_value(self) -> _Number:
        """The highest value."""
        return self._max_value

    def describe(self, info: Message) -> None:
        """Integers have no type of their own in the file: they are numbers, too."""
        interval = Message("Interval").double("min_value", self._min_value).double("max_value", self._max_value)
        info.integer("type", NUMBER).message("domain_interval", interval)


class IntInterval(_Interval[int]):
    """All integers from one to another, both included."""

    def __init__(self, min_value: int = cast("int", None), max_value: int = cast("int", None)) -> None:
        """Both have to be given."""
        super().__init__(min_value, max_value)

    @property
    def dtype(self) -> type:
        """The type of the values."""
        return int

    def sample_uniform(self, rng: Any = random) -> int:  # noqa: ANN401 (a module or a Random)
        """One of the integers."""
        return rng.randint(self._min_value, self._max_value)


class RealInterval(_Interval[float]):
    """All numbers from one to another, both included."""

    def __init__(self, min_value: float = cast("float", None), max_value: float = cast("float", None)) -> None:
        """Both have to be given, as floats."""
        super().__init__(min_value, max_value)

    @property
    def dtype(self) -> type:
        """The type of the values."""
        return float

    def sample_uniform(self, rng: Any = random) -> float:  # noqa: ANN401 (a module or a Random)
        """A number in between."""
        return rng.uniform(self._min_value, self._max_value)


class Discrete(Domain):
    """A few values of one type."""

    def __init__(self, values: Iterable[Plain], dtype: type | None = None) -> None:
        """The type is that of the first value; only without any value it has to be given."""
        members = list(values)
        if dtype is None:
            if not members:
                raise ValueError("Give Discrete at least one value, or the dtype of its values.")
            dtype = type(members[0])
        if dtype not in _TYPES:
            raise ValueError(f"Give Discrete values of the type int, float, bool or str, not {dtype.__name__}.")
        for member in members:
            if not isinstance(member, dtype):
                raise TypeError(f"Give Discrete values of one type; {member!r} is no {dtype.__name__}.")
        self._values: list[Plain] = sorted(cast("list[Any]", members))
        self._dtype = dtype

    def __str__(self) -> str:
        return "{" + ", ".join(repr(value) for value in self._values) + "}"

    def __repr__(self) -> str:
        return f"Discrete({self._values!r})"

    @property
    def dtype(self) -> type:
        """The type of the values."""
        return self._dtype

    @property
    def values(self) -> list[Plain]:
        """All values, in order."""
        return list(self._values)

    def sample_uniform(self, rng: Any = random) -> Plain:  # noqa: ANN401 (a module or a Random)
        """One of the values; IndexError when there are none."""
        return rng.choice(self._values)

    def describe(self, info: Message) -> None:
        """Adds the type and, where there are any, the values."""
        info.integer("type", _TYPES[self._dtype])
        if self._values:
            info.message("domain_discrete", list_value(self._values))


class HParam:
    """A hyperparameter: its name and what it can be, but not what it is in any trial."""

    def __init__(
        self, name: str, domain: Domain | None = None, display_name: str | None = None, description: str | None = None
    ) -> None:
        """The name is what trials give a value to; description is Markdown."""
        if domain is not None and not isinstance(cast("object", domain), Domain):
            raise ValueError(f"Give the domain of {name} as IntInterval, RealInterval or Discrete, not as {domain!r}.")
        self._name = name
        self._domain = domain
        self._display_name = display_name
        self._description = description

    def __str__(self) -> str:
        return f"<HParam {self._name!r}: {self._domain}>"

    def __repr__(self) -> str:
        return (
            f"HParam(name={self._name!r}, domain={self._domain!r},"
            f" display_name={self._display_name!r}, description={self._description!r})"
        )

    @property
    def name(self) -> str:
        """The name in the file."""
        return self._name

    @property
    def domain(self) -> Domain | None:
        """What values it can have, if that was said."""
        return self._domain

    @property
    def display_name(self) -> str | None:
        """The name to show."""
        return self._display_name

    @property
    def description(self) -> str | None:
        """Markdown."""
        return self._description

    def message(self) -> Message:
        """The HParamInfo."""
        info = Message("HParamInfo").text("name", self._name).text("display_name", self._display_name or "")
        info.text("description", self._description or "")
        if self._domain is not None:
            self._domain.describe(info)
        return info


class Metric:
    """A metric: the tag of a scalar that trials log."""

    TRAINING = 1
    VALIDATION = 2

    def __init__(
        self,
        tag: str,
        group: str | None = None,
        display_name: str | None = None,
        description: str | None = None,
        dataset_type: int | None = None,
    ) -> None:
        """`group` is the folder below the trial's own that holds the scalar, such as "train"; description is Markdown."""
        if dataset_type not in (None, Metric.TRAINING, Metric.VALIDATION):
            raise ValueError(f"Give dataset_type as Metric.TRAINING, Metric.VALIDATION or None, not as {dataset_type!r}.")
        self._name = Message("MetricName").text("group", group or "").text("tag", tag)
        self._display_name = display_name or ""
        self._description = description or ""
        self._dataset_type = dataset_type or 0

    def message(self) -> Message:
        """The MetricInfo."""
        info = Message("MetricInfo").message("name", self._name).text("display_name", self._display_name)
        return info.text("description", self._description).integer("dataset_type", self._dataset_type)
