"""Logs hyperparameters with TensorFlow's and torch's APIs, and prints what TensorBoard's backend says; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import tensorflow as tf
from tensorboard import default, program
from tensorboard.plugins.hparams import api as hp
from torch.utils.tensorboard import SummaryWriter

STATUSES = ["STATUS_SUCCESS", "STATUS_UNKNOWN", "STATUS_RUNNING", "STATUS_FAILURE"]


def scalars(folder: Path, values: dict[str, list[float]]) -> None:
    with tf.summary.create_file_writer(str(folder)).as_default() as writer:
        for tag, points in values.items():
            for step, value in enumerate(points):
                tf.summary.scalar(tag, value, step=step)
        writer.flush()


def keras_search(folder: Path) -> int:
    """The grid of a guide: an experiment, and trials whose curves are in folders of roles; one trial is repeated."""
    lr, optimizer = hp.HParam("lr", hp.RealInterval(1e-5, 1e-1)), hp.HParam("optimizer", hp.Discrete(["adam", "sgd"]))
    with tf.summary.create_file_writer(str(folder)).as_default():
        hp.hparams_config(
            hparams=[lr, optimizer],
            metrics=[hp.Metric("epoch_accuracy"), hp.Metric("epoch_loss"), hp.Metric("epoch_loss", group="validation")],
        )
    tried = [(1e-3, "adam"), (1e-3, "sgd"), (1e-4, "adam"), (1e-4, "adam")]
    for place, (rate, name) in enumerate(tried):
        run = folder / f"run-{place}"
        with tf.summary.create_file_writer(str(run)).as_default():
            hp.hparams({lr: rate, optimizer: name})
        scalars(run, {"epoch_accuracy": [0.25, 0.875, 0.5 + place / 16]})
        scalars(run / "train", {"epoch_loss": [2.0, 1.0 + place], "epoch_accuracy": [0.25]})
        scalars(run / "validation", {"epoch_loss": [3.0, 2.0 + place], "epoch_accuracy": [0.25]})
    return 3


def torch_search(folder: Path) -> int:
    """Runs that declare different hyperparameters and metrics."""
    for place, values in enumerate([{"lr": 0.5}, {"lr": 0.25, "bs": 8}, {"lr": 0.125, "bs": 16, "name": "wide"}]):
        with SummaryWriter(str(folder / f"trial-{place}")) as writer:
            writer.add_hparams(values, {"best": place / 8} if place < 2 else {"best": place / 8, "f1": 0.75}, run_name=".")
    return 3


def served(folder: Path, count: int) -> dict[str, Any]:
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(folder), "--port", "0", "--host", "127.0.0.1", "--load_fast=false"])
    address = f"{board.launch().rstrip('/')}/data/plugin/hparams"
    asked = {"experimentName": "", "allowedStatuses": STATUSES, "colParams": [], "sliceSize": 100, "startIndex": 0}
    for _ in range(200):
        groups = ask(f"{address}/session_groups", asked).get("sessionGroups", [])
        experiment = ask(f"{address}/experiment", {"experimentName": ""})
        if len(groups) == count and all(group.get("metricValues") for group in groups):
            return {"experiment": experiment, "groups": groups}
        time.sleep(0.3)
    raise TimeoutError(f"the server never shows {count} groups")


def ask(address: str, body: Any) -> Any:
    with urlopen(Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


if __name__ == "__main__":
    top = Path(sys.argv[1])
    print(json.dumps({name: served(top / name, make(top / name)) for name, make in (("keras", keras_search), ("torch", torch_search))}))
