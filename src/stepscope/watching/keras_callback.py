"""The Keras callback that checks a watched model after each batch."""

from __future__ import annotations

from collections.abc import Callable
from sys import modules
from typing import Any


def checking_callback(check: Callable[[], object], refresh: Callable[[], None]) -> Any:  # noqa: ANN401 (a class of Keras)
    """A callback of the Keras that is loaded; batches are counted over all epochs."""
    keras: Any = modules.get("keras")
    if keras is None:
        raise RuntimeError("Import keras first: the callback is for model.fit.")

    class CheckNumerics(keras.callbacks.Callback):
        """Calls check after each batch of training."""

        def on_train_begin(self, logs: object = None) -> None:
            """Looks at what compile() and the first data have added to the model."""
            del logs
            refresh()

        def on_train_batch_end(self, batch: int, logs: object = None) -> None:
            """Checks."""
            del batch, logs
            check()

    return CheckNumerics()
