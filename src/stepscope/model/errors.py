"""The error tree. Every message is one sentence that says what to do, safe to show to any user.

StepscopeError
├── BadInput            the request or argument is wrong; the caller changes it          HTTP 400, exit 2
│   └── TooMuch         it asks for more than the stated limit; the caller asks for less HTTP 413
├── NotThere            what was named does not exist (any more)                          HTTP 404, exit 2
├── Refused             a guard says no; the caller needs another address or permission   HTTP 403, exit 2
└── NeedsExtra          an optional package is missing; the message names the extra       HTTP 422, exit 2
"""

from __future__ import annotations


class StepscopeError(Exception):
    """The root of what Stepscope raises on purpose; `code` is the machine-readable word of the API's error shape."""

    status = 500
    exit_code = 1
    position: int | None = None
    """Where in a text that was given, such as a query, the problem is; None when it is no matter of one place."""

    def __init__(self, message: str, code: str = "error") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class BadInput(StepscopeError):
    """The request or argument is wrong; the caller changes it."""

    status = 400
    exit_code = 2


class TooMuch(BadInput):
    """The request is larger than a stated limit; the caller asks for less."""

    status = 413


class NotThere(StepscopeError):
    """What was named does not exist, or not any more."""

    status = 404
    exit_code = 2


class Refused(StepscopeError):
    """A guard says no."""

    status = 403
    exit_code = 2


class NeedsExtra(StepscopeError):
    """An optional package is missing; the message names the extra to install."""

    status = 422
    exit_code = 2
