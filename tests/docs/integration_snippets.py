"""Runs the scripts of docs/integrations.md as they stand, each with what it takes for granted; prints the tags each wrote."""
# pyright: reportMissingImports=false

import json
import logging
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"


def keras_names() -> dict[str, Any]:
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return {"model": model, "x": np.ones((8, 4)), "y": np.ones((8, 1))}


def lightning_names() -> dict[str, Any]:
    import torch
    from lightning.pytorch.demos.boring_classes import BoringModel, RandomDataset

    class Logging(BoringModel):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            outputs: Any = super().training_step(batch, batch_idx)
            self.log("train/loss", outputs["loss"], on_step=False, on_epoch=True)
            return outputs

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    return {"module": Logging(), "data": torch.utils.data.DataLoader(RandomDataset(32, 8))}


def huggingface_names() -> dict[str, Any]:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, TrainingArguments

    sizes = {"vocab_size": 8, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    dataset = [{"input_ids": torch.arange(4), "labels": torch.tensor(0)}] * 4
    quiet = {"report_to": "none", "disable_tqdm": True, "use_cpu": True, "logging_steps": 1, "save_strategy": "no"}
    arguments = TrainingArguments("output", num_train_epochs=1, **quiet)
    return {"model": BertForSequenceClassification(BertConfig(**sizes)), "arguments": arguments, "dataset": dataset}


def jax_names() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp

    train_step = jax.jit(lambda state, batch: ({"w": state["w"] + batch}, {"loss": state["w"].sum()}), donate_argnums=0)
    return {"train_step": train_step, "state": {"w": jnp.zeros(3)}, "batches": [1.0, 2.0]}


NAMES = {
    "Keras": keras_names,
    "PyTorch Lightning": lightning_names,
    "Hugging Face Trainer": huggingface_names,
    "JAX and Flax": jax_names,
}
SCRIPT = re.compile(r"^## ([^\n]+)\n\n(?:[^`#]*\n\n)?```python\n(.*?)```", re.DOTALL | re.MULTILINE)
TAGS = ("batch_loss", "epoch_seconds", "train/loss", "loss", "params/w")


def tags_of(script: str, names: dict[str, Any], folder: Path) -> list[str]:
    """Runs the script in the folder, and looks which tags are in the files there."""
    folder.mkdir()
    os.chdir(folder)
    exec(script, names)
    if names.get("writer"):
        names["writer"].close()
    content = b"".join(path.read_bytes() for path in folder.rglob("events*"))
    return [tag for tag in TAGS if tag.encode() in content]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    top = Path(sys.argv[1])
    scripts = SCRIPT.findall(PAGE.read_text())
    print(json.dumps({name: tags_of(script, NAMES.get(name, dict)(), top / name.replace(" ", "")) for name, script in scripts}))
