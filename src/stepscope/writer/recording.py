"""Whether calls record now, where to and at which step: what all logging of a thread shares, and `every` and `record_if`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from operator import index
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, SupportsFloat, SupportsIndex, TypeVar

from stepscope._native import open_conditions
from stepscope.writer.compiled import UNCONVERTED, compiler, plain
from stepscope.writer.summary import Deferred, Step

Writer = TypeVar("Writer")
Given = ParamSpec("Given")


class DefaultWriter(Protocol):
    """What can be a thread's default writer."""

    def put_scalar(self, tag: str, value: SupportsFloat | SupportsIndex, step: Step) -> None:
        """Logs one number."""
        ...

    def put_event(self, work: Deferred) -> None:
        """Logs an event of any kind."""
        ...

    def flush(self) -> None:
        """Returns when all that was logged is in the file."""
        ...


class _Calls(threading.local):
    """The settings of one thread."""

    writer: DefaultWriter | None = None
    """Where stepscope.summary writes to."""

    quiet: bool = False
    """Whether a no-op writer says that having none is meant."""

    step: object = None
    """The step of calls that are given none: a number, or a tensor or variable of a framework."""

    condition: object = None
    """What record_if was given, and None outside it."""


calls = _Calls()
_shared: dict[str, object] = {}


class Every:
    """True at every n-th step. As a condition of record_if it is tested with the step of each call."""

    __slots__ = ("_steps",)
    autograph_info__ = UNCONVERTED

    def __init__(self, steps: SupportsIndex) -> None:
        """How many steps lie between two that count."""
        number = 0 if isinstance(steps, bool) or not hasattr(steps, "__index__") else index(steps)
        if number < 1:
            raise ValueError(f"Give every() a number of steps of at least 1, not {steps!r}.")
        self._steps = number

    def __call__(self, step: Any = None) -> Any:  # noqa: ANN401 (a framework's step gives a framework's truth value)
        """Whether the step counts; without one, the thread's own as as_default(step=…) and set_step set it."""
        at: Any = calls.step if step is None else step
        if at is None:
            raise ValueError(f"Give a step as every({self._steps})(step), or set one with as_default(step=…) or set_step.")
        return at % self._steps == 0

    def __bool__(self) -> bool:
        return bool(self())


class Recording:
    """The context of record_if."""

    __slots__ = ("_before", "_condition")

    def __init__(self, condition: object) -> None:
        """A truth value of any kind, or what returns one."""
        self._condition = condition
        self._before: list[object] = []

    def __enter__(self) -> None:
        self._before.append(calls.condition)
        open_conditions.append(self._condition)
        calls.condition = self._condition

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        calls.condition = self._before.pop()
        open_conditions.pop()


def every(steps: SupportsIndex) -> Every:
    """A test for expensive summaries: `if every(100)(step): …`, or `with record_if(every(100)): …`."""
    return Every(steps)


@plain
def record_if(condition: object) -> Recording:
    """Inside this context calls record only while the condition holds: a truth value, a callable that returns one, or every(n).

    It is tested at each call before any value is taken. An inner record_if takes the place of an outer one.
    """
    return Recording(condition)


def goes_on(method: Callable[..., None], values: tuple[object, ...], step: object) -> bool:
    """Whether a call is to be done here and now.

    Inside compiled code it is not: the framework then makes the call, of that method with those values, whenever the code runs.
    """
    tracing = compiler()
    condition = condition_at(step)
    if tracing is None or tracing.is_known((*values, condition)):
        return bool(condition)
    tracing.call_back(method, values, condition)
    return False


def recorded(method: Callable[Concatenate[Writer, Given], None]) -> Callable[Concatenate[Writer, Given], None]:
    """A method that logs, with record_if and compiled code seen to before it takes anything."""
    own: Any = method
    while hasattr(own, "__wrapped__"):
        own = own.__wrapped__
    names = own.__code__.co_varnames  # self, then the parameters in order
    position = names.index("global_step") - 1 if "global_step" in names else -1

    @plain
    @wraps(method)
    def call(self: Writer, *args: Given.args, **kwargs: Given.kwargs) -> None:
        if calls.condition is not None or compiler() is not None:
            step: object = args[position] if 0 <= position < len(args) else kwargs.get("global_step")
            count, named = len(args), tuple(kwargs)

            def later(*values: Any) -> None:  # noqa: ANN401 (the arguments, as they arrive)
                method(self, *values[:count], **dict(zip(named, values[count:], strict=True)))

            if not goes_on(later, (*args, *kwargs.values()), step):
                return
        method(self, *args, **kwargs)

    return call


def share() -> None:
    """Makes the settings of this thread, as they are and will be, those that `adopt` finds."""
    global _shared
    _shared = calls.__dict__


def adopt() -> DefaultWriter | None:
    """The default writer of the thread that was last given one, with all its settings.

    Threads have settings of their own, but TensorFlow runs replicas of one computation in threads that nobody else sees.
    """
    calls.__dict__.update(_shared)
    return calls.writer


def condition_at(step: object) -> Any:  # noqa: ANN401 (inside compiled code it is a tensor)
    """The condition in force for a call at that step."""
    condition = calls.condition
    if condition is None:
        return True
    if isinstance(condition, Every):
        return condition(step)
    return condition() if callable(condition) else condition
