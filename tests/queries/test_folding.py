"""Folding follows torch's folder names, and nothing else folds."""

from __future__ import annotations

import base64

import pytest

from log_folder import LogFolder
from stepscope import SummaryWriter, new_run
from stepscope.queries.tags import TagReader
from stepscope.queries.view import Views

HPARAMS = {"_hparams_/session_start_info": "hparams"}


def shown(folder: LogFolder, folded: bool = True) -> dict[str, set[str]]:
    """Run names and the tags they show."""
    views = Views(folder.load())
    tags = TagReader(views).list_tags(folded)
    view = views.view(folded)
    found: dict[str, set[str]] = {run.name: set() for run in view.runs}
    for tag in tags.tags:
        bits = int.from_bytes(base64.b64decode(tag.runs), "little")
        for row, run in enumerate(view.runs):
            if bits >> row & 1:
                found[run.name].add(tag.name)
    return found


def test_add_scalars_folders_appear_in_their_parent(folder: LogFolder) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    folder.write("a/loss_val", {"loss": [1]})
    assert shown(folder) == {"a": {"lr", "loss/train", "loss/val"}}
    assert shown(folder, folded=False) == {"a": {"lr"}, "a/loss_train": {"loss"}, "a/loss_val": {"loss"}}


@pytest.mark.parametrize(
    ("sub_folder", "tag", "as_shown"),
    [
        ("Loss_all_x", "Loss/all", "Loss/all/x"),
        ("loss_train_2", "loss", "loss/train_2"),
        ("loss_a/b", "loss", "loss/a/b"),
        ("my loss_x", "my_loss", "my_loss/x"),
    ],
)
def test_names_as_torch_makes_them(folder: LogFolder, sub_folder: str, tag: str, as_shown: str) -> None:
    folder.write("a", {"lr": [1]})
    folder.write(f"a/{sub_folder}", {tag: [1]})
    assert shown(folder) == {"a": {"lr", as_shown}}


@pytest.mark.parametrize(
    ("sub_folder", "tags"),
    [
        ("loss_train", {"loss": [1], "acc": [1]}),
        ("loss", {"loss": [1]}),
        ("loss_", {"loss": [1]}),
        ("losstrain", {"loss": [1]}),
        ("train", {"loss": [1]}),
        ("a/b_key", {"a/b": [1]}),
    ],
)
def test_other_folders_stay_runs(folder: LogFolder, sub_folder: str, tags: dict[str, list[float]]) -> None:
    folder.write("run", {"lr": [1]})
    folder.write(f"run/{sub_folder}", tags)
    assert set(shown(folder)) == {"run", f"run/{sub_folder}"}


def test_a_fold_never_hides_a_tag(folder: LogFolder) -> None:
    folder.write("a", {"loss/train": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    assert set(shown(folder)) == {"a", "a/loss_train"}


def test_without_a_parent_run_nothing_folds(folder: LogFolder) -> None:
    folder.write("a/loss_train", {"loss": [1]})
    assert set(shown(folder)) == {"a/loss_train"}


def test_an_add_hparams_folder_gives_its_metrics_to_the_parent(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    folder.write("a/1700000000.25", {"hparam/acc": [1]}, others=HPARAMS)
    assert shown(folder) == {"a": {"loss", "hparam/acc", "_hparams_/session_start_info"}}


def test_a_metric_with_the_name_of_a_curve_stands_beside_it(folder: LogFolder) -> None:
    folder.write("a", {"loss": [3, 2, 1]})
    folder.write("a/1700000000.25", {"loss": [1], "acc": [0.5]}, others=HPARAMS)
    assert shown(folder) == {"a": {"loss", "hparams/loss", "acc", "_hparams_/session_start_info"}}


def test_several_trials_below_one_parent_stay_runs(folder: LogFolder) -> None:
    folder.write("a", {})
    folder.write("a/1", {"hparam/acc": [1]}, others=HPARAMS)
    folder.write("a/2", {"hparam/acc": [2]}, others=HPARAMS)
    assert set(shown(folder)) == {"a", "a/1", "a/2"}


def test_trials_below_an_experiment_stay_runs(folder: LogFolder) -> None:
    folder.write("", {}, others={"_hparams_/experiment": "hparams"})
    folder.write("run-0", {"acc": [1]}, others=HPARAMS)
    assert set(shown(folder)) == {".", "run-0"}


def test_folding_follows_what_is_logged_later(folder: LogFolder) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    views = Views(folder.load())
    assert [run.name for run in views.view().runs] == ["a"]
    folder.write("a/loss_train", {"acc": [1]}, version=False)
    folder.load()
    assert {run.name for run in views.view().runs} == {"a", "a/loss_train"}


def test_a_change_on_disk_is_named_as_it_is_shown(folder: LogFolder) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    views = Views(folder.load())
    inner = next(run for run in folder.library.snapshot.runs if run.name == "a/loss_train")
    outer = next(run for run in folder.library.snapshot.runs if run.name == "a")
    assert views.view().shown(inner.id, views.tag_id("loss")) == (outer.id, views.tag_id("loss/train"))
    assert views.view(False).shown(inner.id, views.tag_id("loss")) == (inner.id, views.tag_id("loss"))


def test_what_stands_above_training_is_shown_inside_it(folder: LogFolder) -> None:
    above = {"config/text_summary": "text", **HPARAMS}
    folder.write("a", {}, others=above)
    folder.write("a/train", {"loss": [1]})
    folder.write("a/validation", {"loss": [1]})
    folder.write("b", {"score": [1]}, others=above)
    folder.write("b/train", {"loss": [1]})
    folder.write("d", {"loss": [1]}, others=above)
    folder.write("d/train", {"loss": [1]})
    folder.write("c", {}, others={"config/text_summary": "text"})
    folder.write("c/train", {"loss": [1]})
    found = shown(folder)
    assert found.keys() == {"a/train", "a/validation", "b/train", "c", "c/train", "d", "d/train"}
    assert found["a/train"] == {"loss", *above}
    assert found["b/train"] == {"loss", "score", *above}, "also with scalars of its own"
    assert found["d/train"] == {"loss"}, "unless that would hide one"


def test_runs_of_our_own_writer_fold_when_they_are_finished(folder: LogFolder) -> None:
    with SummaryWriter(folder.path / "a") as writer:
        writer.add_scalar("lr", 1.0, 1)
        writer.add_scalars("loss", {"train": 1.0, "val": 2.0}, 1)
        writer.add_hparams({"lr": 1.0}, {"accuracy": 0.5}, run_name="trial")
    with new_run(folder.path, lr=0.5) as run:
        run.train.add_scalar("loss", 1.0, 1)
        run.validation.add_scalar("loss", 1.0, 1)
    found = shown(folder)
    assert found.keys() == {"a", f"{run.name}/train", f"{run.name}/validation"}
    assert {"lr", "loss/train", "loss/val", "accuracy"} <= found["a"]
    assert {"loss", "config/text_summary", "run/text_summary"} <= found[f"{run.name}/train"]
    assert {shown.experiment for shown in Views(folder.load()).view(True).runs if shown.role} == {run.name}
