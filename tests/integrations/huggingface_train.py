"""Trains a tiny transformer with our callback beside the Trainer's own, then with Accelerate; prints what was written as JSON."""
# pyright: reportMissingImports=false

import gzip
import json
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
from accelerate import Accelerator
from event_values import values_of
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainerState, TrainingArguments
from transformers.integrations import TensorBoardCallback

from stepscope import SummaryWriter
from stepscope.integrations.accelerate import StepscopeTracker, register
from stepscope.integrations.huggingface import StepscopeCallback

TOP = Path(sys.argv[1])
os.environ["TENSORBOARD_LOGGING_DIR"] = str(TOP / "theirs")
warnings.filterwarnings("ignore")


class Words(Dataset):
    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"input_ids": torch.arange(6) + index % 5, "labels": torch.tensor(index % 2)}


def tiny() -> Any:
    """From a configuration, so that nothing is downloaded."""
    torch.manual_seed(5)
    sizes = {"vocab_size": 32, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    return BertForSequenceClassification(BertConfig(**sizes, max_position_embeddings=8))


def arguments(**changes: Any) -> TrainingArguments:
    settings = {"per_device_train_batch_size": 4, "num_train_epochs": 2, "logging_steps": 2, "save_strategy": "no"}
    settings |= {"report_to": "none", "disable_tqdm": True, "use_cpu": True, "eval_strategy": "epoch"}
    return TrainingArguments(str(TOP / "output"), **(settings | changes))


def train() -> Any:
    ours = StepscopeCallback(TOP / "ours", system_every=0.05)
    callbacks = [ours, TensorBoardCallback()]
    trainer = Trainer(tiny(), arguments(), train_dataset=Words(), eval_dataset=Words(), callbacks=callbacks)
    trainer.train()
    trainer.evaluate()
    writer: Any = ours._writer
    writer.close()
    return {"read": [values_of(TOP / whose) for whose in ("ours", "theirs")], "is_callback": isinstance(ours, TrainerCallback)}


def profiled() -> Any:
    """Steps that the environment asks for."""
    os.environ["STEPSCOPE_PROFILE"] = "steps=2-3"
    callback = StepscopeCallback(TOP / "profiled")
    Trainer(tiny(), arguments(num_train_epochs=1, eval_strategy="no"), train_dataset=Words(), callbacks=[callback]).train()
    del os.environ["STEPSCOPE_PROFILE"]
    (path,) = TOP.glob("profiled/plugins/profile/*/*.pt.trace.json.gz")
    return sorted(set(re.findall(r"ProfilerStep#\d+", gzip.decompress(path.read_bytes()).decode())))


def given_writer() -> Any:
    with SummaryWriter(TOP / "given") as writer:
        callback = StepscopeCallback(writer=writer)
        Trainer(tiny(), arguments(num_train_epochs=1, eval_strategy="no"), train_dataset=Words(), callbacks=[callback]).train()
        files = len(list((TOP / "given").iterdir()))
        writer.add_scalar("after", 1.0, 1)
    return {"files": [files, len(list((TOP / "given").iterdir()))], "after": "after" in values_of(TOP / "given")}


def by_hand() -> Any:
    """What a search for hyperparameters and a second process tell the callback, without either."""
    for name, first in (("trial-1", True), ("trial-2", True), ("trial-3", False)):
        callback = StepscopeCallback(TOP / "search")
        state = TrainerState(is_world_process_zero=first, is_hyper_param_search=True, trial_name=name, global_step=4)
        callback.on_train_begin(arguments(), state, None)
        callback.on_log(arguments(), state, None, {"loss": 0.5, "test_loss": np.float32(0.25), "odd": [1], "note": "words"})
        callback.on_train_end(arguments(), state, None)
    return {path.name: values_of(path) for path in (TOP / "search").iterdir()}


def default_folder() -> Any:
    del os.environ["TENSORBOARD_LOGGING_DIR"]
    callback = StepscopeCallback()
    Trainer(tiny(), arguments(num_train_epochs=1, eval_strategy="no"), train_dataset=Words(), callbacks=[callback]).train()
    (folder,) = (TOP / "output" / "runs").iterdir()
    return sorted(tag for tag in values_of(folder) if tag.startswith("train/"))


def accelerate(log_with: Any, name: str) -> Any:
    accelerator = Accelerator(log_with=log_with, project_dir=str(TOP / "accelerate"), cpu=True)
    accelerator.init_trackers(name, config={"lr": 0.1, "name": "tiny"} | ({"deep": {"x": True}} if name == "ours" else {}))
    for step in range(3):
        accelerator.log({"loss": 1 / (step + 1), "pair": {"a": step}}, step=step)
    accelerator.log({"note": "words"}, step=0)
    kind = "stepscope" if name == "ours" else "tensorboard"
    tracker = accelerator.get_tracker(kind)
    tracker.log_images({"noise": np.zeros((2, 3, 4, 4), np.uint8)}, step=1)
    accelerator.end_training()
    folder = TOP / "accelerate" / name
    return {"read": values_of(folder), "pair": values_of(folder / "pair_a"), "writer": type(tracker.tracker or 0).__module__}


def profiled_by_accelerate() -> Any:
    """A loop that marks nothing: the environment asks, and the optimizer tells where a step ends."""
    os.environ["STEPSCOPE_PROFILE"] = "steps=2-3"
    accelerator = Accelerator(log_with=StepscopeTracker("asked", TOP / "accelerate"), cpu=True, gradient_accumulation_steps=2)
    accelerator.init_trackers("ignored")
    model = tiny()
    other = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.SGD(model.parameters(), 0.1), torch.utils.data.DataLoader(Words(), batch_size=2)
    )
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            other.step()
            optimizer.zero_grad()
    accelerator.end_training()
    del os.environ["STEPSCOPE_PROFILE"]
    (path,) = (TOP / "accelerate" / "asked").glob("plugins/profile/*/*.pt.trace.json.gz")
    return sorted(set(re.findall(r"ProfilerStep#\d+", gzip.decompress(path.read_bytes()).decode())))


if __name__ == "__main__":
    report: dict[str, Any] = {
        "train": train(),
        "given": given_writer(),
        "profiled": profiled(),
        "hand": by_hand(),
        "default": default_folder(),
    }
    register()
    report["accelerate"] = {"by_name": accelerate("stepscope", "ours"), "theirs": accelerate("tensorboard", "theirs")}
    tracker = StepscopeTracker("instance", TOP / "accelerate")
    accelerator = Accelerator(log_with=tracker, cpu=True)
    accelerator.init_trackers("ignored")
    accelerator.log({"loss": 0.25}, step=7)
    accelerator.end_training()
    report["accelerate"]["profiled"] = profiled_by_accelerate()
    report["accelerate"]["instance"] = values_of(TOP / "accelerate" / "instance")
    print(json.dumps(report))
