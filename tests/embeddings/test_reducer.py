"""t-SNE and UMAP in their reducing_process: neighbourhoods are preserved, and work can be ended and resumed."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stepscope.embeddings import reducer as reducing
from stepscope.embeddings.layouts import Layout, Layouts, Question
from stepscope.embeddings.opened import Opened
from stepscope.embeddings.point_columns import point_column
from stepscope.embeddings.reducer import Reducer, missing
from stepscope.embeddings.reducing_messages import Said, Task
from stepscope.model.embedding import EmbeddingState, Vectors
from stepscope.model.errors import BadInput, NeedsExtra
from stepscope.model.process_messages import receive, send

POINTS = 300


@pytest.fixture(scope="module")
def digits() -> Opened:
    from sklearn.datasets import load_digits

    data: Any = load_digits()
    values, labels = data.data[:POINTS].astype(np.float32), [str(label) for label in data.target[:POINTS]]
    return Opened("digits", EmbeddingState(None), Vectors(values, np.arange(POINTS), POINTS), (point_column("label", labels),), ())


@pytest.fixture(scope="module")
def layouts() -> Any:
    made = Layouts()
    yield made
    made.close()


def purity(positions: NDArray[np.float32], opened: Opened) -> float:
    from stepscope.embeddings.class_scores import class_scores

    found = class_scores(positions, opened.columns[0].codes, 10, 10, "euclidean").total.purity
    assert found is not None
    return found


def preserved(opened: Opened, positions: NDArray[np.float32]) -> float:
    from sklearn.manifold import trustworthiness

    return float(trustworthiness(opened.vectors.values, positions, n_neighbors=10))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("method", "components"), [("tsne", 2), ("tsne", 3), ("umap", 2)])
def test_neighbourhoods_of_digits_are_preserved(layouts: Layouts, digits: Opened, method: Any, components: int) -> None:
    told: list[tuple[int, int | None, bool]] = []
    question = Question(method=method, components=components, iterations=400)
    found = layouts.lay_out(digits, question, lambda done, total, _, so_far: told.append((done, total, so_far is not None)))
    plane = layouts.lay_out(digits, Question(components=components), lambda *_: None)
    assert found.positions.shape == (POINTS, components)
    assert preserved(digits, found.positions) > 0.95 > preserved(digits, plane.positions)
    assert purity(found.positions, digits) > 0.85
    assert any(total is not None and 0 < done < total for done, total, _ in told)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_stopped_tsne_goes_on_where_it_was(layouts: Layouts, digits: Opened) -> None:
    class Enough(Exception):
        pass

    stopped: list[int] = []

    def until(done: int, _: int | None, __: str, so_far: Layout | None) -> None:
        if so_far is not None and done >= 20:
            stopped.append(done)
            raise Enough

    question = Question(method="tsne", components=2, perplexity=12, iterations=100_000)
    with pytest.raises(Enough):
        layouts.lay_out(digits, question, until)
    heard: list[int] = []
    again = Question(method="tsne", components=2, perplexity=12, iterations=stopped[0] + 60)
    found = layouts.lay_out(digits, again, lambda done, *_: heard.append(done))
    assert found.iterations == stopped[0] + 60
    assert next(done for done in heard if done) >= stopped[0]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_labels_pull_classes_together(layouts: Layouts, digits: Opened) -> None:
    question = Question(method="tsne", components=2, iterations=300, supervision=1.0, label="label")
    assert purity(layouts.lay_out(digits, question, lambda *_: None).positions, digits) > 0.97
    with pytest.raises(BadInput):
        layouts.lay_out(digits, Question(method="tsne", supervision=1.0, label="none"), lambda *_: None)


@pytest.mark.parametrize(
    "question",
    [
        Question(method="tsne", perplexity=101),
        Question(method="umap", neighbours=300),
        Question(method="tsne", only=b"\x03" + b"\0" * 37),
    ],
)
def test_numbers_that_do_not_fit_the_points_are_refused(question: Question) -> None:
    vectors = Vectors(np.zeros((POINTS, 2), np.float32), np.arange(POINTS), POINTS)
    with pytest.raises(BadInput):
        Layouts().lay_out(Opened("points", EmbeddingState(None), vectors, (), ()), question, lambda *_: None)


def ask(reducer: Reducer) -> NDArray[np.float32]:
    task = Task("tsne", points=3, dimensions=2, components=2)
    return reducer.reduce(task, np.zeros((3, 2), np.float32), None, None, lambda *_: None, lambda: None)


def script(folder: Path, text: str) -> tuple[str, ...]:
    """A process in place of the real one, which imports no library."""
    path = folder / "worker.py"
    modules = ("stepscope.embeddings.reducing_messages", "stepscope.model.process_messages")
    path.write_text("import sys\n" + "".join(f"from {module} import *\n" for module in modules) + "out = sys.stdout.buffer\n" + text)
    return (sys.executable, str(path))


def test_a_process_that_dies_or_fails_is_said_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    reducer = Reducer()
    for text in ("", "receive(sys.stdin.buffer, Task)", 'receive(sys.stdin.buffer, Task)\nsend(out, Said("failed", words="no"))'):
        monkeypatch.setattr(reducing, "COMMAND", script(tmp_path, text))
        with pytest.raises(BadInput) as caught:
            ask(reducer)
        assert caught.value.code == "reduction_failed"
    good = 'task, numbers = receive(sys.stdin.buffer, Task)\nsend(out, Said("running", 1, 2))\nsend(out, Said("done"), numbers)'
    monkeypatch.setattr(reducing, "COMMAND", script(tmp_path, good))
    assert ask(reducer).tolist() == [[0, 0]] * 3
    reducer.close()


def test_work_that_is_given_up_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    monkeypatch.setattr(reducing, "COMMAND", script(tmp_path, "import time\ntime.sleep(1000)"))
    reducer = Reducer()

    def give_up() -> None:
        process = reducer._process
        assert process is not None
        started.append(process)
        raise KeyboardInterrupt

    started: list[Any] = []
    task = Task("tsne", points=3, dimensions=2, components=2)
    with pytest.raises(KeyboardInterrupt):
        reducer.reduce(task, np.zeros((3, 2), np.float32), None, None, lambda *_: None, give_up)
    assert started[0].poll() is not None


def test_a_library_that_is_missing_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing("tsne") is None
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert 'pip install "stepscope[projector]"' in (missing("umap") or "")
    with pytest.raises(NeedsExtra):
        ask(Reducer())


def test_messages_come_back_as_they_were_sent() -> None:
    stream = io.BytesIO()
    send(stream, Said("running", 3, None, "words"), b"1234")
    whole = stream.getvalue()
    assert receive(io.BytesIO(whole), Said) == (Said("running", 3, None, "words"), b"1234")
    for end in range(len(whole)):
        assert receive(io.BytesIO(whole[:end]), Said) is None
