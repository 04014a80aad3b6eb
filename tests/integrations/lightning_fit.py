"""Fits a small LightningModule with our logger beside Lightning's TensorBoardLogger; prints, as JSON, what each wrote."""
# pyright: reportMissingImports=false

import copy
import gzip
import inspect
import json
import logging
import os
import pickle
import re
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch
from event_values import values_of
from lightning.fabric.utilities.rank_zero import rank_zero_only
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.loggers import Logger, TensorBoardLogger
from torch.utils.data import DataLoader, TensorDataset

from stepscope.integrations.lightning import StepscopeLogger, StepscopeProfiling

TOP = Path(sys.argv[1])
QUIET: dict[str, Any] = {"enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False}
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(LightningModule):
    def __init__(self, lr: float = 0.1, optimizer: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(4, 1)
        self.example_input_array = torch.zeros(1, 4)

    def forward(self, x: Any) -> Any:
        return self.layer(x)

    def training_step(self, batch: Any, index: int) -> Any:
        loss = self(batch[0]).square().mean()
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch: Any, index: int) -> None:
        self.log("val/loss", self(batch[0]).square().mean())

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def data() -> Any:
    torch.manual_seed(3)
    return DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4)


def trainer(loggers: list[Any], epochs: int = 2) -> Trainer:
    return Trainer(max_epochs=epochs, logger=loggers, log_every_n_steps=1, accelerator="cpu", **QUIET)


def fit() -> Any:
    ours = StepscopeLogger(TOP / "ours", log_graph=True, system_every=0.05)
    theirs = TensorBoardLogger(TOP / "theirs", log_graph=True)
    trainer([ours, theirs]).fit(Net(optimizer={"name": "sgd", "momentum": 0}), data(), data())
    ours.experiment.add_text("note", "still open")
    ours.finalize("success")
    folders = [Path(each.log_dir) for each in (ours, theirs)]
    return {
        "folders": [str(folder.relative_to(TOP)) for folder in folders],
        "read": [values_of(folder) for folder in folders],
        "yaml": [(folder / "hparams.yaml").read_text() for folder in folders],
        "is_logger": isinstance(ours, Logger),
    }


def versions() -> Any:
    found: list[Any] = []
    for kind in (StepscopeLogger, TensorBoardLogger):
        top = TOP / "versions" / kind.__name__
        (top / "lightning_logs" / "version_4").mkdir(parents=True)
        cases: list[dict[str, Any]] = [{}, {"name": None}, {"name": "mine", "version": "first"}, {"version": 9, "sub_dir": "sub"}]
        loggers = [kind(top, **case) for case in cases]
        found.append(
            [[str(Path(each.log_dir).relative_to(top)), each.name, str(Path(each.root_dir).relative_to(top))] for each in loggers]
        )
        found[-1].append([str(Path(each.save_dir).relative_to(top)) for each in loggers])
    return found


def failing() -> Any:
    class Failing(Net):
        def on_train_batch_end(self, *arguments: Any) -> None:
            raise RuntimeError("as training fails")

    logger = StepscopeLogger(TOP / "failing")
    message = ""
    try:
        trainer([logger], 1).fit(Failing(), data())
    except RuntimeError as error:
        message = str(error)
    (file,) = Path(logger.log_dir).glob("events*")
    return {"message": message, "file": str(file)}


def second_rank() -> Any:
    rank_zero_only.rank = 1
    logger = StepscopeLogger(TOP / "second")
    logger.log_metrics({"loss": 1.0}, 1)
    logger.log_hyperparams({"lr": 0.1})
    logger.experiment.add_scalar("loss", 1.0, 1)
    logger.save()
    logger.finalize("success")
    rank_zero_only.rank = 0
    return (TOP / "second").exists()


def profiled() -> Any:
    """Steps that the arguments choose, and those that the environment asks for, without a word in the program."""
    chosen = Trainer(
        max_epochs=1, logger=StepscopeLogger(TOP / "chosen"), callbacks=[StepscopeProfiling(steps="1-2")], accelerator="cpu", **QUIET
    )
    chosen.fit(Net(), data())
    installed = TOP / "site" / "stepscope_entry-0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Name: stepscope-entry\nVersion: 0\n")
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in each.items()) for group, each in settings.items()]
    (installed / "entry_points.txt").write_text("\n\n".join(lines))
    sys.path.insert(0, str(TOP / "site"))
    os.environ["STEPSCOPE_PROFILE"] = "steps=2-3"
    trainer([StepscopeLogger(TOP / "asked")], 1).fit(Net(), data())
    del os.environ["STEPSCOPE_PROFILE"]
    found = trainer([StepscopeLogger(TOP / "unasked")], 1)
    found.fit(Net(), data())
    return {
        "steps": [marked(TOP / name) for name in ("chosen", "asked")],
        "unasked": [type(each).__name__ for each in found.callbacks if "Stepscope" in type(each).__name__],
    }


def marked(folder: Path) -> list[str]:
    (path,) = folder.glob("**/plugins/profile/*/*.pt.trace.json.gz")
    return sorted(set(re.findall(r"ProfilerStep#\d+", gzip.decompress(path.read_bytes()).decode())))


def by_hand() -> Any:
    logger = StepscopeLogger(TOP / "hand", prefix="run", filename_suffix=".mine")
    logger.log_metrics({"loss": torch.tensor(0.5), "pair": {"a": 1.0, "b": 2.0}}, 3)
    for kind in (copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        kind(logger).finalize("success")
    logger.finalize("success")
    folder = Path(logger.log_dir)
    return {
        "read": {path.name: values_of(path) for path in (folder, *(each for each in folder.iterdir() if each.is_dir()))},
        "names": [path.name[-5:] for path in folder.glob("events*")],
    }


if __name__ == "__main__":
    report = {
        "signatures": [
            [[each.name, repr(each.default), each.kind.name] for each in inspect.signature(which).parameters.values()]
            for which in (TensorBoardLogger, StepscopeLogger)
        ],
        "fit": fit(),
        "versions": versions(),
        "failing": failing(),
        "second": second_rank(),
        "profiled": profiled(),
        "hand": by_hand(),
    }
    print(json.dumps(report))
