"""Run with the peers' Python: writes traces of a small torch and a Lightning training to a folder, and prints torch's own sums."""

from __future__ import annotations

import gc
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, TensorDataset

FOLDER = Path(sys.argv[1])


def model() -> torch.nn.Module:
    """Small, with modules inside modules."""
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Linear(32, 8)))


def data() -> DataLoader[Any]:
    return DataLoader(TensorDataset(torch.randn(64, 16), torch.randn(64, 8)), batch_size=8)


def train(steps: int, prof: Any) -> None:
    """A plain loop that tells the profiler of each step."""
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    batches = iter(data())
    for _ in range(steps):
        inputs, targets = next(batches)
        with torch.profiler.record_function("## forward ##"):
            loss = torch.nn.functional.mse_loss(net(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        prof.step()


def sums(prof: Any) -> list[dict[str, Any]]:
    """torch's own table: how often each name and shape was seen, and how long it took."""
    return [
        {"key": row.key, "shapes": str(row.input_shapes), "count": row.count, "total_us": row.cpu_time_total}
        for row in prof.key_averages(group_by_input_shape=True)
    ]


def without_places(path: Path) -> None:
    """Takes this machine's names out of a trace."""
    top = json.loads(path.read_text())
    for key in ("traceName", "host_name", "trace_id"):
        top.pop(key, None)
    path.write_text(json.dumps(top))


def capture() -> list[dict[str, Any]]:
    """Three steps with shapes, memory and stacks."""
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    ) as prof:
        train(5, prof)
    path = FOLDER / "torch.json"
    prof.export_chrome_trace(str(path))
    (FOLDER / "torch.json.gz").write_bytes(gzip.compress(path.read_bytes()))
    return sums(prof)


def capture_small() -> None:
    """One step without stacks, small enough to be kept."""
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as prof:
        train(2, prof)
    path = FOLDER / "small.json"
    prof.export_chrome_trace(str(path))
    without_places(path)


def capture_compiled() -> None:
    """A compilation and a garbage collection inside the recording."""
    compiled = torch.compile(lambda values: torch.relu(values @ values) + 1, backend="aot_eager")
    options = torch._C._profiler._ExperimentalConfig(record_python_gc_info=True)
    with profile(activities=[ProfilerActivity.CPU], with_stack=True, experimental_config=options) as prof:
        compiled(torch.ones(8, 8))
        gc.collect()
        torch.save(torch.ones(8), FOLDER / "saved.pt")
    prof.export_chrome_trace(str(FOLDER / "compiled.json"))


def capture_lightning() -> None:
    """What Lightning's profiler names things."""
    import lightning
    from lightning.pytorch.profilers import PyTorchProfiler

    class Trained(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = model()

        def training_step(self, batch: Any, _: int) -> torch.Tensor:
            return torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    profiler = PyTorchProfiler(dirpath=str(FOLDER), filename="lightning", schedule=schedule(wait=1, warmup=1, active=3, repeat=1))
    lightning.Trainer(
        max_steps=6,
        profiler=profiler,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    ).fit(Trained(), data())


def main() -> None:
    """Everything; the sums are printed last."""
    capture_small()
    table = capture()
    capture_compiled()
    capture_lightning()
    print(json.dumps(table))


main()
