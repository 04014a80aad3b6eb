"""Our Keras callback beside Keras's own, in the same fit on each backend: same tags, same steps, same values, and more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers
HERE = Path(__file__).parent
OURS_ALONE = {"epoch", "epoch_seconds", "epoch_steps_per_second", "epoch_examples_per_second"}
TIMED = {"batch_steps_per_second": 4.0, "epoch_steps_per_second": 1.5}


@pytest.fixture(scope="module", params=["tensorflow", "jax", "torch"])
def backend(request: pytest.FixtureRequest) -> str:
    """Each backend in a process of its own."""
    return request.param


@pytest.fixture(scope="module")
def report(backend: str, tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What both callbacks wrote."""
    return run_in_peers(HERE / "keras_fit.py", backend, tmp_path_factory.mktemp(backend))


def test_arguments_are_those_of_keras(report: Any) -> None:
    theirs, ours = report["signatures"]
    assert len(theirs) == 9
    assert ours[: len(theirs)] == theirs
    assert all(kind == "KEYWORD_ONLY" for _, _, kind in ours[len(theirs) :])


def test_it_is_a_callback_that_pickle_finds(report: Any) -> None:
    assert report["is_callback"]
    assert report["pickles"]


@pytest.mark.parametrize("part", ["train", "validation"])
@pytest.mark.parametrize("case", ["batch", "weights"])
def test_what_keras_writes_is_written_alike(report: Any, case: str, part: str) -> None:
    ours, theirs = (report[case][whose][part] for whose in ("ours", "theirs"))
    assert len(theirs) >= 4
    assert theirs.keys() <= ours.keys()
    assert ours.keys() - theirs.keys() <= (OURS_ALONE if part == "train" else set())
    for tag in theirs.keys() - TIMED.keys():
        assert ours[tag] == theirs[tag], tag


def test_rates_are_those_of_keras(report: Any) -> None:
    """An epoch is three batches of 0.25 s, and 1.25 s of validation."""
    ours, theirs = (report["batch"][whose]["train"] for whose in ("ours", "theirs"))
    for tag, rate in TIMED.items():
        assert ours[tag][1] == theirs[tag][1]
        assert {value for _, value in ours[tag][1]} == {rate}


def test_weights_are_named_by_their_paths(report: Any) -> None:
    train = report["weights"]["ours"]["train"]
    named = {tag for tag in train if tag.endswith("/histogram")}
    model = next(iter(named)).split("/")[0]
    assert named == {f"{model}/{layer}/{kind}/histogram" for layer in ("hidden", "out") for kind in ("kernel", "bias")}
    assert [step for step, _ in train[f"{model}/hidden/kernel/histogram"][1]] == [0, 2], "every other epoch"


def test_the_architecture_is_written_once(report: Any) -> None:
    plugin, ((step, (text,)),) = report["batch"]["ours"]["train"]["keras"]
    assert (plugin, step) == ("graph_keras_model", 0)
    assert '"class_name": "Sequential"' in text
    assert "keras" not in report["weights"]["ours"]["train"], "write_graph was False"


def test_examples_per_second_are_those_of_the_training_data(report: Any) -> None:
    assert report["many"]["examples"] == [20, 20], "and not the 6 of validation"
    train = report["many"]["train"]
    for (_, rate), (_, seconds) in zip(train["epoch_examples_per_second"][1], train["epoch_seconds"][1], strict=True):
        assert rate * seconds > 19.99, "in the epoch's time, or less"


def test_update_freq_may_be_a_number_of_batches(report: Any) -> None:
    assert [step for step, _ in report["many"]["train"]["batch_loss"][1]] == [2, 4, 6, 8, 10]


def test_an_evaluation_is_logged_against_the_optimizers_steps(report: Any) -> None:
    assert [step for step, _ in report["many"]["validation"]["evaluation_loss_vs_iterations"][1]] == [5, 10, 10]


def test_the_machine_is_logged_with_the_batch_and_the_epoch(report: Any) -> None:
    train = report["many"]["train"]
    steps = [step for step, _ in train["system/process/rss_mib"][1]]
    assert steps == sorted(steps)
    assert steps[-1] <= 10
    assert {value for _, value in train["system/epoch"][1]} <= {0.0, 1.0}
    assert train["epoch"][1] == [[5, 0.0], [10, 1.0]]


def only(found: Any, ending: str) -> Any:
    """TensorFlow puts the names of its scopes before a tag."""
    (tag,) = [tag for tag in found if tag == ending or tag.endswith(f"/{ending}")]
    return found[tag][1]


def test_what_the_model_itself_logs_goes_along_with_its_batches(report: Any) -> None:
    train = report["inside"]["train"]
    means = [4 * (batch % 5) + 1.5 for batch in range(10)]
    assert only(train, "mean") == [[batch, means[batch - 1]] for batch in (2, 4, 6, 8, 10)]
    assert [[step, count] for step, (_, _, count) in only(train, "values")] == [[batch, 16.0] for batch in (2, 4, 6, 8, 10)]
    assert [step for step, _ in only(train, "at nine")] == [9] * 5, "a step that was given stays"


def test_what_the_model_logs_in_validation_goes_there(report: Any) -> None:
    assert only(report["inside"]["validation"], "mean") == [[2, 5.5], [4, 5.5]]


def test_after_training_the_default_is_what_it_was(report: Any) -> None:
    assert report["inside"]["outside"] is False


def test_embeddings_are_the_projectors_files(report: Any) -> None:
    found = report["embeddings"]
    assert 'tensor_name: "words:00002"' in found["config"]
    assert found["last"] == found["weights"]
    assert found["labels"] == [f"word {index}" for index in range(11)]


def test_metadata_for_a_layer_that_is_not_there_is_refused(report: Any) -> None:
    expected = "Give embeddings_metadata for embedding layers; the model has none named none."
    assert report["embeddings"]["refused"] == expected


def test_batches_are_profiled_with_the_backends_own_profiler(report: Any, backend: str) -> None:
    files, marks = report["profile"]["files"], report["profile"]["marks"]
    (name,) = files
    assert name.endswith(".pt.trace.json.gz" if backend == "torch" else ".xplane.pb")
    assert marks == (["ProfilerStep#2", "ProfilerStep#3"] if backend == "torch" else ["step_num"])


def test_the_environment_asks_for_a_profile(report: Any) -> None:
    assert report["profile"]["asked"] == ["step1", "step4"]
