"""Records, with the real torch, ten steps on the CPU that keep a mebibyte each, ten that keep nothing, and four with Adam, of which
torch itself says what memory was for; says where the files are."""
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


def record_kinds(path: Path, told: Path) -> dict[str, str]:
    """A training from its first step, with torch's own timeline of memory by kind."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512))
    optimizer = torch.optim.Adam(model.parameters())
    loader = torch.utils.data.DataLoader(torch.rand(1024, 512), batch_size=256)
    options = {"profile_memory": True, "record_shapes": True, "with_stack": True}
    with profile(activities=[ProfilerActivity.CPU], **options) as recorded:
        for values in loader:
            optimizer.zero_grad()
            model(values).square().mean().backward()
            optimizer.step()
            recorded.step()
    recorded.export_chrome_trace(str(path))
    recorded.export_memory_timeline(str(told), device="cpu")
    return {"kinds": str(path), "told": str(told)}


folder = Path(sys.argv[1])
files = {"leak": record(folder / "leak.pt.trace.json", True), "steady": record(folder / "steady.pt.trace.json", False)}
print(json.dumps(files | record_kinds(folder / "kinds.pt.trace.json", folder / "told.raw.json.gz")))
