"""Run with the peers' Python: a training step profiled with memory, exported in both forms."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch
from torch.profiler import _memory_profiler

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.Adam(model.parameters())
with torch.profiler.profile(profile_memory=True, record_shapes=True, with_stack=True) as profiler:
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(16, 32)).square().mean().backward()
        optimizer.step()
profiler.export_memory_timeline(str(folder / "timeline.json"), device="cpu")
profiler.export_memory_timeline(str(folder / "timeline.raw.json.gz"), device="cpu")
numbers = {"UNKNOWN" if kind is None else kind.name: number for kind, number in _memory_profiler._CATEGORY_TO_INDEX.items()}
print(
    json.dumps(
        {
            "categories": sorted(numbers, key=lambda name: numbers[name]),
            "parameter_bytes": sum(one.numel() * 4 for one in model.parameters()),
        }
    )
)
