"""Parts of the writer that are loaded when they are first used: from a signal handler, too, and without a free file handle."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from sys import modules
from types import TracebackType
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from stepscope.writer import background, lifetime
from stepscope.writer.bell import Bell
from stepscope.writer.compiled import plain

Given = ParamSpec("Given")

LONGEST_LOAD_SECONDS = 5.0


class Loser(Protocol):
    """What has to say that a value was lost."""

    def leave_out(self, error: BaseException) -> None:
        """Counts the value, and warns."""
        ...


Writer = TypeVar("Writer", bound=Loser)
Method = Callable[Concatenate[Writer, Given], None]


def needs(part: str) -> Callable[[Method[Writer, Given]], Method[Writer, Given]]:
    """A method that uses a part of the writer. What cannot be loaded costs the value that was to be logged, and is warned about."""

    def wrap(method: Method[Writer, Given]) -> Method[Writer, Given]:
        is_loaded = False

        @plain
        @wraps(method)
        def call(self: Writer, *args: Given.args, **kwargs: Given.kwargs) -> None:
            nonlocal is_loaded
            if not is_loaded:
                trouble = _load(f"stepscope.writer.{part}")
                if trouble is not None:
                    self.leave_out(trouble)
                    return
                is_loaded = True
            try:
                method(self, *args, **kwargs)
            except ModuleNotFoundError:  # A package is not installed, such as Pillow.
                raise
            except ImportError as error:
                self.leave_out(error)
            except OSError as error:
                if not _is_of_an_import(error.__traceback__):
                    raise
                self.leave_out(error)

        return call

    return wrap


def _load(name: str) -> Exception | None:
    """Imports a module in a thread, and returns what went wrong.

    A signal handler that interrupts an import in its own thread finds half a module; one that waits for a thread finds it whole.
    """
    found = modules.get(name)
    if found is not None and not getattr(found.__spec__, "_initializing", False):
        return None
    outcome: list[Exception | None] = []
    bell = Bell()

    def load() -> None:
        try:
            import_module(name)
            outcome.append(None)
        except Exception as error:  # noqa: BLE001 (whatever it is, it must not end a training)
            outcome.append(error)
        bell.ring()

    if lifetime.is_over() or not background.start(load):
        load()
    if not bell.wait(lambda: bool(outcome), LONGEST_LOAD_SECONDS):
        return TimeoutError(f"loading {name} takes longer than {LONGEST_LOAD_SECONDS:g} s")
    return outcome[0]


def _is_of_an_import(trace: TracebackType | None) -> bool:
    """Whether the error was raised while something was imported: by the import itself, or by the code of a module."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith("<frozen importlib") or code.co_name == "<module>":
            return True
        trace = trace.tb_next
    return False
