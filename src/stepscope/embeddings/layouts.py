"""Where the points of an embedding are drawn: by principal components, t-SNE, UMAP or axes of the user's own, kept by every input."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope.embeddings.alignment import aligned
from stepscope.embeddings.neighbours import Metric, unit_rows
from stepscope.embeddings.pca import COMPONENTS, Components, principal_components
from stepscope.embeddings.reader import Opened
from stepscope.embeddings.reducer import Reducer
from stepscope.embeddings.reducing_messages import Said, Task
from stepscope.model.errors import BadInput
from stepscope.model.number_text import digits

Layouter = Literal["pca", "tsne", "umap", "custom"]
FEWEST = 3
_REDUCE_FROM = 100
_REDUCED_TO = 50
"""t-SNE and UMAP of vectors with more dimensions than the one work on so many principal components."""
_PARTIALS = 4


class Question(Struct, frozen=True):
    """Everything that positions depend on beside the vectors."""

    method: Layouter = "pca"
    components: int = 3
    axes: tuple[int, ...] = (0, 1, 2)
    """Of PCA: which principal components are drawn."""
    spherize: bool = False
    metric: Metric = "euclidean"
    """Of t-SNE and UMAP."""
    only: bytes = b""
    """Bits of the points that are looked at; empty for all."""
    perplexity: float = 30.0
    learning_rate: float | None = None
    iterations: int = 1_000
    neighbours: int = 15
    min_dist: float = 0.1
    supervision: float = 0.0
    label: str = ""
    """Column whose classes supervise."""
    custom: tuple[tuple[bytes, bytes], ...] = ()
    """For each axis, bits of the points at its left and right end."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of points."""

    positions: NDArray[np.float32]
    """Points × components."""
    points: NDArray[np.int64]
    """Which of the kept points each is."""
    variance: tuple[float, ...] = ()
    """Of PCA: the share of the variance along each of the first components."""
    iterations: int = 0
    notices: tuple[str, ...] = ()


class _Saved(Struct, frozen=True):
    """Positions as they are kept on the disk."""

    positions: bytes
    components: int


A = TypeVar("A", bound=Struct)


class Kept(Protocol):
    """Answers that took long, kept on the disk."""

    def answer(self, question: str, paths: Sequence[str], kind: type[A], make: Callable[[], A]) -> A:
        """What `make` makes, or made before."""
        ...


Tell = Callable[[int, int | None, str, Layout | None], None]
"""Hears of progress: done, total, words, and positions so far. May raise to end the work."""


class Layouts:
    """Computes layouts. Safe from any thread."""

    def __init__(self, kept: Kept | None = None) -> None:
        self._kept = kept
        self._reducer = Reducer()
        self._guard = threading.Lock()
        self._components: OrderedDict[tuple[str, bool, bytes], Components] = OrderedDict()
        self._partials: OrderedDict[tuple[str, Question], Layout] = OrderedDict()

    def lay_out(self, opened: Opened, question: Question, tell: Tell, reference: Layout | None = None) -> Layout:
        """The positions, aligned with those of the same points in `reference` if it is given. Raises BadInput or NeedsExtra."""
        points = chosen_points(opened, question.only)
        if question.method == "custom":
            found = self._along_axes(opened, question, points)
        elif question.method == "pca":
            found = self._along_components(opened, question, points)
        else:
            found = self._reduced(opened, question, points, tell)
        if reference is None:
            return found
        if not np.array_equal(reference.points, found.points):
            return replace(found, notices=(*found.notices, "The steps have different points, so they cannot be aligned."))
        return replace(found, positions=aligned(found.positions, reference.positions))

    def close(self) -> None:
        """Ends the process that reduces."""
        self._reducer.close()

    def _along_components(self, opened: Opened, question: Question, points: NDArray[np.int64]) -> Layout:
        found = self._principal(opened, question, points)
        axes = [axis for axis in question.axes[: question.components] if 0 <= axis < found.positions.shape[1]]
        positions = np.zeros((len(points), question.components), np.float32)
        positions[:, : len(axes)] = found.positions[:, axes]
        notices = () if found.is_exact else ("The components are approximate: there are more than 2,048 points and dimensions.",)
        return Layout(positions, points, tuple(found.variance.tolist()), notices=notices)

    def _principal(self, opened: Opened, question: Question, points: NDArray[np.int64]) -> Components:
        key = (opened.key, question.spherize, question.only)
        with self._guard:
            if (known := self._components.get(key)) is not None:
                return known
        found = principal_components(prepared(opened, question, points), COMPONENTS)
        with self._guard:
            self._components[key] = found
            while len(self._components) > 8:
                self._components.popitem(last=False)
        return found

    def _along_axes(self, opened: Opened, question: Question, points: NDArray[np.int64]) -> Layout:
        """Along the line from the mean of the points at the left end to the mean of those at the right."""
        values = prepared(opened, question, points)
        everything = opened.vectors.values
        positions = np.zeros((len(points), question.components), np.float32)
        middle = values.mean(axis=0)
        for place, (left, right) in enumerate(question.custom[: question.components]):
            ends = [everything[chosen_points(opened, bits)] if bits else everything for bits in (left, right)]
            axis = ends[1].mean(axis=0) - ends[0].mean(axis=0)
            length = float(np.linalg.norm(axis))
            if length > 0:
                positions[:, place] = (values - middle) @ (axis / length)
        return Layout(positions, points)

    def _reduced(self, opened: Opened, question: Question, points: NDArray[np.int64], tell: Tell) -> Layout:
        check_reducible(question, len(points))
        notices: tuple[str, ...] = ()
        if opened.vectors.values.shape[1] > _REDUCE_FROM:
            notices = (f"Computed on the first {_REDUCED_TO} principal components.",)
        before = _whatever_iterations(question)
        with self._guard:
            partial = self._partials.get((opened.key, before)) if question.method == "tsne" else None
        if partial is not None and partial.iterations >= question.iterations:
            partial = None

        def compute() -> _Saved:
            positions = self._computed(opened, question, points, partial, notices, tell)
            return _Saved(positions.tobytes(), question.components)

        # What went on from a stopped reduction depends on where it was stopped, so it is not kept.
        if self._kept is None or partial is not None:
            saved = compute()
        else:
            saved = self._kept.answer(f"projector layout {opened.key} {msgspec.json.encode(question).decode()}", [], _Saved, compute)
        positions = np.frombuffer(saved.positions, np.float32).reshape(-1, saved.components)
        done = question.iterations if question.method == "tsne" else 0
        layout = Layout(positions, points, iterations=done, notices=notices)
        self._note(opened.key, before, layout)
        return layout

    def _computed(
        self,
        opened: Opened,
        question: Question,
        points: NDArray[np.int64],
        partial: Layout | None,
        notices: tuple[str, ...],
        tell: Tell,
    ) -> NDArray[np.float32]:
        tell(0, None, "Preparing vectors", None)
        values = prepared(opened, question, points)
        if question.metric == "cosine":
            values = unit_rows(values)
        if values.shape[1] > _REDUCE_FROM:
            values = principal_components(values, _REDUCED_TO).positions
        labels = _labels(opened, question, points)
        task = Task(
            method="umap" if question.method == "umap" else "tsne",
            points=len(points),
            dimensions=values.shape[1],
            components=question.components,
            perplexity=question.perplexity,
            learning_rate=question.learning_rate,
            first=0 if partial is None else partial.iterations,
            last=question.iterations,
            neighbours=question.neighbours,
            min_dist=question.min_dist,
            supervision=question.supervision,
            has_labels=labels is not None,
            has_start=partial is not None,
        )
        before = _whatever_iterations(question)
        latest: tuple[int, int | None, str, Layout | None] = (task.first, None, "Starting", partial)

        def heard(said: Said, positions: NDArray[np.float32] | None) -> None:
            nonlocal latest
            layout = None if positions is None else Layout(positions, points, iterations=said.done, notices=notices)
            if layout is not None:
                self._note(opened.key, before, layout)
            latest = (said.done, said.total, said.words, layout or latest[3])
            tell(*latest)

        start = None if partial is None else partial.positions
        return self._reducer.reduce(task, np.ascontiguousarray(values, np.float32), labels, start, heard, lambda: tell(*latest))

    def _note(self, key: str, question: Question, layout: Layout) -> None:
        """Remembers how far a t-SNE has come, to go on from there."""
        if question.method != "tsne":
            return
        with self._guard:
            self._partials[key, question] = layout
            self._partials.move_to_end((key, question))
            while len(self._partials) > _PARTIALS:
                self._partials.popitem(last=False)


def check_reducible(question: Question, points: int) -> None:
    """Raises BadInput when there are too few points for a method, or a number makes no sense."""
    if points < FEWEST:
        raise BadInput(f"{points} points are too few for {question.method}; use PCA.", "too_few_points")
    if question.method == "tsne" and not 1 <= question.perplexity <= max(1.0, (points - 1) / 3):
        raise BadInput(f"Perplexity must be between 1 and {digits((points - 1) / 3, 4)}, a third of the points.", "bad_perplexity")
    if question.method == "umap" and not 2 <= question.neighbours < points:
        raise BadInput(f"Neighbours must be between 2 and {points - 1}, fewer than there are points.", "bad_neighbours")


def chosen_points(opened: Opened, bits: bytes) -> NDArray[np.int64]:
    """Which of the kept points a set of bits names; all for none. Raises BadInput."""
    count = len(opened.vectors.values)
    if not bits:
        return np.arange(count)
    if len(bits) != (count + 7) // 8:
        raise BadInput("The points were chosen in another embedding; choose them again.", "bad_points")
    found = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), count=count, bitorder="little"))
    if not len(found):
        raise BadInput("No point is chosen.", "no_points")
    return found


def prepared(opened: Opened, question: Question, points: NDArray[np.int64]) -> NDArray[np.float32]:
    """The vectors of the chosen points; spherized: their mean removed, then each of length one."""
    everything = opened.vectors.values
    values = everything if len(points) == len(everything) else everything[points]
    return unit_rows(values - values.mean(axis=0)) if question.spherize else values


def _whatever_iterations(question: Question) -> Question:
    """The question whatever number of iterations is asked for."""
    return msgspec.structs.replace(question, iterations=0)


def _labels(opened: Opened, question: Question, points: NDArray[np.int64]) -> NDArray[np.int32] | None:
    if not question.label or question.supervision <= 0:
        return None
    column = next((column for column in opened.columns if column.name == question.label), None)
    if column is None or column.kind != "classes":
        raise BadInput(f"{question.label!r} cannot supervise: it needs a column with few different values.", "bad_label")
    unknown = np.array([not text for text in column.classes])
    codes = column.codes[points]
    return np.where(unknown[codes], np.int32(-1), codes).astype(np.int32)
