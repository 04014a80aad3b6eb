"""A grid search as guides write it, and two runs of new_run, for TensorBoard's server to show; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import keras
import numpy as np
from tensorboard import default, program

from stepscope import hparams as hp
from stepscope import new_run, summary

HP_LR = hp.HParam("learning_rate", hp.RealInterval(1e-5, 1e-1))
HP_DROPOUT = hp.HParam("dropout", hp.RealInterval(0.1, 0.5))
HP_OPTIMIZER = hp.HParam("optimizer", hp.Discrete(["adam", "sgd", "rmsprop"]))
METRIC_ACCURACY = "epoch_accuracy"
METRIC_LOSS = "epoch_loss"
X, Y = np.random.default_rng(0).random((32, 4)), np.arange(32) % 2


def build_model(dropout_rate: float, optimizer: str, learning_rate: float) -> Any:
    layers = [keras.Input((4,)), keras.layers.Dropout(dropout_rate), keras.layers.Dense(1, activation="sigmoid")]
    model = keras.Sequential(layers)
    chosen = keras.optimizers.get(optimizer)
    chosen.learning_rate = learning_rate
    model.compile(chosen, "binary_crossentropy", metrics=["accuracy"])
    return model


def run_experiment(run_dir: str, hparams: Any) -> None:
    with summary.create_file_writer(run_dir).as_default() as writer:
        hp.hparams(hparams)
        model = build_model(dropout_rate=hparams[HP_DROPOUT], optimizer=hparams[HP_OPTIMIZER], learning_rate=hparams[HP_LR])
        model.fit(X, Y, epochs=2, verbose=0)
        _, accuracy = model.evaluate(X, Y, verbose=0)
        summary.scalar(METRIC_ACCURACY, accuracy, step=1)
        writer.flush()


def search(folder: Path) -> None:
    with summary.create_file_writer(folder).as_default() as writer:
        hp.hparams_config(
            hparams=[HP_LR, HP_DROPOUT, HP_OPTIMIZER],
            metrics=[hp.Metric(METRIC_ACCURACY, display_name="Accuracy"), hp.Metric(METRIC_LOSS, display_name="Loss")],
        )
        writer.flush()
    session_num = 0
    for lr in [1e-3, 1e-4]:
        for optimizer in ["adam", "sgd"]:
            run_experiment(str(folder / f"run-{session_num}"), {HP_LR: lr, HP_DROPOUT: 0.1, HP_OPTIMIZER: optimizer})
            session_num += 1


def folders(folder: Path) -> None:
    for lr in (0.5, 0.25):
        with new_run(folder, {"optimizer": {"name": "adam"}, "amp": True}, lr=lr) as run:
            run.train.add_scalar("loss", lr, 3)
            run.validation.add_scalar("loss", 2 * lr, 3)


def served(folder: Path, sessions: int) -> Any:
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(folder), "--port", "0", "--host", "127.0.0.1", "--load_fast=false"])
    address = f"{board.launch().rstrip('/')}/data/plugin/hparams"
    for _ in range(60):
        experiment = ask(f"{address}/experiment", {"experimentName": ""})
        columns = [{"metric": info["name"]} for info in experiment["metricInfos"]]
        asked = {"experimentName": "", "allowedStatuses": ["STATUS_SUCCESS", "STATUS_UNKNOWN"], "colParams": columns, "sliceSize": 99}
        groups = ask(f"{address}/session_groups", asked).get("sessionGroups", [])
        if len(groups) == sessions and all(group.get("metricValues") for group in groups):
            return {"experiment": experiment, "groups": groups}
        time.sleep(0.3)
    raise TimeoutError("the server never shows all sessions")


def ask(address: str, body: Any) -> Any:
    with urlopen(Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


if __name__ == "__main__":
    top = Path(sys.argv[1])
    search(top / "search")
    folders(top / "folders")
    print(json.dumps({"search": served(top / "search", 4), "folders": served(top / "folders", 2)}))
