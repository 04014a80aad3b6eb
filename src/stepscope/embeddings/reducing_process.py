"""The process that computes t-SNE and UMAP, with tasks on stdin and positions on stdout.

It stays for the next task, because UMAP is compiled at its first use, which takes up to a minute. The server ends it to cancel a task.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from stepscope.embeddings.reducing_messages import Said, Task
from stepscope.model.process_messages import receive, send

EXAGGERATED = 250
"""The first iterations of t-SNE, in which clusters are pulled together, as in the original program."""
_EVERY = 10
_SEND_SECONDS = 0.5
_LOWER_PRIORITY = 5

Positions = NDArray[np.float32]
Report = Callable[[int, int | None, str, Positions | None], None]


def reduced(task: Task, values: Positions, labels: NDArray[np.int32] | None, start: Positions | None, report: Report) -> Positions:
    """The positions of a task, as `report` has shown them growing."""
    work = _tsne if task.method == "tsne" else _umap
    return np.ascontiguousarray(work(task, values, labels, start, report), np.float32)


def _tsne(task: Task, values: Positions, labels: NDArray[np.int32] | None, start: Positions | None, report: Report) -> Positions:
    report(task.first, task.last, "Loading openTSNE", None)
    open_tsne: Any = __import__("openTSNE", fromlist=["affinity", "initialization"])
    report(task.first, task.last, "Finding neighbours", None)
    affinities = open_tsne.affinity.PerplexityBasedNN(values, perplexity=task.perplexity, n_jobs=-1, random_state=task.seed)
    if labels is not None and task.supervision > 0:
        affinities.P = _supervised(affinities.P, labels, task.supervision)
    if start is None:
        start = open_tsne.initialization.pca(values, n_components=task.components, random_state=task.seed)
    # Interpolation is faster from some thousand points on, and works in two dimensions alone.
    method = "fft" if task.components == 2 and task.points > 5_000 else "bh"
    rate = task.learning_rate or max(task.points / 12, 50.0)
    embedding = open_tsne.TSNEEmbedding(
        np.array(start, np.float64), affinities, negative_gradient_method=method, learning_rate=rate, n_jobs=-1, random_state=task.seed
    )
    for first, last, exaggeration, momentum in ((0, EXAGGERATED, 12, 0.5), (EXAGGERATED, task.last, None, 0.8)):
        begin, end = max(first, task.first), min(last, task.last)
        if begin < end:
            follow = _follow(begin, task.last, report)
            embedding.optimize(
                end - begin, exaggeration=exaggeration, momentum=momentum, inplace=True, callbacks=follow, callbacks_every_iters=_EVERY
            )
    return np.asarray(embedding)


def _follow(begin: int, last: int, report: Report) -> Callable[[int, float, NDArray[np.float64]], bool]:
    def follow(iteration: int, _: float, embedding: NDArray[np.float64]) -> bool:
        report(begin + iteration, last, "", np.asarray(embedding, np.float32))
        return False

    return follow


def _supervised(affinities: Any, labels: NDArray[np.int32], weight: float) -> Any:  # noqa: ANN401 (scipy's)
    """Affinities of points with different labels weakened; points without a label (−1) as they are."""
    pairs = affinities.tocoo()
    left, right = labels[pairs.row], labels[pairs.col]
    pairs.data = pairs.data * np.where((left != right) & (left >= 0) & (right >= 0), 1 - weight, 1.0)
    total = pairs.data.sum()
    return (pairs / total if total > 0 else affinities).tocsr()


class _EpochLine:
    """Takes what UMAP's progress bar writes, "12 200", and reports it."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def write(self, text: str) -> None:
        done, _, total = text.strip().partition(" ")
        if done.isdigit() and total.isdigit():
            self._report(int(done), int(total), "Optimizing", None)

    def flush(self) -> None:
        """Nothing is kept back."""


def _umap(task: Task, values: Positions, labels: NDArray[np.int32] | None, _: Positions | None, report: Report) -> Positions:
    report(0, None, "Loading UMAP; its first use takes up to a minute", None)
    umap: Any = __import__("umap")
    report(0, None, "Finding neighbours", None)
    model = umap.UMAP(
        n_components=task.components,
        n_neighbors=task.neighbours,
        min_dist=task.min_dist,
        random_state=task.seed,
        n_jobs=1,  # what a seed needs; more threads would give other positions each time
        target_weight=task.supervision,
        verbose=True,
        tqdm_kwds={"file": _EpochLine(report), "bar_format": "{n} {total}", "mininterval": _SEND_SECONDS, "leave": False},
    )
    with contextlib.redirect_stdout(sys.stderr):
        return model.fit_transform(values, labels if labels is not None and task.supervision > 0 else None)


def _arrays(task: Task, numbers: bytes) -> tuple[Positions, NDArray[np.int32] | None, Positions | None]:
    size = task.points * task.dimensions
    values = np.frombuffer(numbers, np.float32, size).reshape(task.points, task.dimensions)
    place = 4 * size
    labels = start = None
    if task.has_labels:
        labels = np.frombuffer(numbers, np.int32, task.points, place)
        place += 4 * task.points
    if task.has_start:
        start = np.frombuffer(numbers, np.float32, task.points * task.components, place).reshape(task.points, task.components)
    return values, labels, start


def _serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    while (received := receive(tasks, Task)) is not None:
        task = received[0]
        values, labels, start = _arrays(task, received[1])
        sent = 0.0

        def report(done: int, total: int | None, words: str, positions: Positions | None) -> None:
            nonlocal sent
            now = time.monotonic()
            if positions is not None and now - sent < _SEND_SECONDS:
                return
            sent = now if positions is not None else sent
            send(answers, Said("running", done, total, words), b"" if positions is None else positions.tobytes())

        try:
            found = reduced(task, values, labels, start, report)
        except Exception as error:  # noqa: BLE001 (whatever the libraries raise is the answer)
            send(answers, Said("failed", words=f"{type(error).__name__}: {error}"[:500]))
        else:
            send(answers, Said("done", task.last, task.last), found.tobytes())


def main() -> None:
    """Serves tasks until stdin ends. Whatever libraries print goes to stderr."""
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_LOWER_PRIORITY)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _serve(tasks, answers)


if __name__ == "__main__":
    main()
