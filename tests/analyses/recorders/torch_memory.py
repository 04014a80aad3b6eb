"""Records, with the real torch, ten steps on the CPU that keep a mebibyte each, and ten that keep nothing; says where the files are."""
# pyright: reportMissingImports=false

import json
import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule

STEPS = 10
MIB = 1 << 20


def record(path: Path, keeps: bool) -> str:
    """One training; its inputs are there before the recording."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    values, kept = torch.rand(256, 512), []
    plan = schedule(wait=1, warmup=1, active=STEPS, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, profile_memory=True, with_stack=True) as recorded:
        for _ in range(STEPS + 2):
            optimizer.zero_grad()
            loss = model(values).square().mean()
            loss.backward()
            optimizer.step()
            if keeps:
                kept.append(torch.ones(MIB // 4))
            recorded.step()
    recorded.export_chrome_trace(str(path))
    return str(path)


folder = Path(sys.argv[1])
print(json.dumps({"leak": record(folder / "leak.pt.trace.json", True), "steady": record(folder / "steady.pt.trace.json", False)}))
