"""The demo's evaluation logs every kind of value, and its numbers are those of the network."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import stepscope
from stepscope import SummaryWriter
from stepscope._native import EventFile, NamePool
from stepscope.demo.evaluation import Evaluation
from stepscope.demo.network import Network, accuracy, cross_entropy
from stepscope.demo.tones import NAMES, Tones
from stepscope.model.kinds import Kind

COUNT, SEED = 24, 7


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluation")
    with SummaryWriter(folder) as writer:
        Evaluation(COUNT, SEED).log(writer, Network(4, len(NAMES), seed=3), 5)
    return folder


def kinds(folder: Path) -> dict[str, set[str]]:
    """The tags of each kind."""
    names = NamePool()
    (path,) = folder.glob("*tfevents*")
    events = EventFile(str(path), names)
    events.scan()
    found: dict[str, set[str]] = {}
    for tag, kind in zip(events.tag_ids(), events.kinds(), strict=True):
        found.setdefault(Kind(int(kind)).label, set()).add(names.name(int(tag)).decode())
    return found


def test_numbers_are_those_of_the_network_on_the_same_tones(logged: Path) -> None:
    tones, random = Tones(COUNT, SEED), np.random.default_rng(SEED)
    network = Network(4, len(NAMES), seed=3)
    batch = tones.batch(np.arange(COUNT), random)
    probabilities = network.forward(batch.spectrograms).probabilities
    run = stepscope.open(logged).runs["."]
    assert run.scalars("loss").value.tolist() == [pytest.approx(cross_entropy(probabilities, batch.labels), rel=1e-3)]
    assert run.scalars("accuracy").value.tolist() == [pytest.approx(accuracy(probabilities, batch.labels))]
    assert run.scalars("loss").step.tolist() == [5]


def test_the_worst_prediction_is_the_tone_whose_timbre_seemed_least_likely(logged: Path) -> None:
    batch = Tones(COUNT, SEED).batch(np.arange(COUNT), np.random.default_rng(SEED))
    probabilities = Network(4, len(NAMES), seed=3).forward(batch.spectrograms).probabilities
    worst = int(probabilities[np.arange(COUNT), batch.labels].argmin())
    (path,) = logged.glob("*tfevents*")
    said = re.findall(rb"\*\*([a-z ]+)\*\*[^*]+\*\*([a-z ]+)\*\*", path.read_bytes().lower())
    assert (NAMES[batch.labels[worst]].encode().lower(), NAMES[int(probabilities[worst].argmax())].encode().lower()) in said


def test_every_form_that_helps_to_see_why(logged: Path) -> None:
    found = kinds(logged)
    assert {"predictions", "filters", "confusion_matrix"} <= found["image"]
    assert {tag.split("/")[0] for tag in found["text"]} == {"confusion_matrix", "predictions", "worst_prediction"}
    assert found["audio"] == {"worst_prediction"}
    curves = {tag for tags in found.values() for tag in tags if tag.startswith("precision_recall/")}
    assert curves == {f"precision_recall/{name}" for name in NAMES}
    assert any(tag.startswith("embedding") for tag in found["mesh"])


def test_the_embedding_has_a_row_for_each_tone(tmp_path: Path) -> None:
    Evaluation(COUNT, SEED).log_embedding(str(tmp_path), Network(4, len(NAMES), seed=3))
    (labels,) = tmp_path.rglob("*metadata*.tsv")
    rows = labels.read_text().splitlines()
    assert rows[0].split("\t") == ["timbre", "prediction"]
    assert len(rows) == COUNT + 1
    assert {row.split("\t")[0] for row in rows[1:]} <= set(NAMES)
