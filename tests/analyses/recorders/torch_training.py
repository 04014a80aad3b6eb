"""Records, with the real torch, six steps of a small training on the CPU; prints torch's own table of operations."""
# pyright: reportMissingImports=false

import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

path = sys.argv[1]
STEPS = 6


class Slow(Dataset):
    def __len__(self) -> int:
        return 8 * (STEPS + 2)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        torch.rand(64, 64).matmul(torch.rand(64, 64))
        return torch.rand(32), index % 4


model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with profile(
    activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=STEPS, repeat=1), record_shapes=True
) as recorded:
    for values, labels in DataLoader(Slow(), batch_size=8):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(values), labels).backward()
        optimizer.step()
        recorded.step()
recorded.export_chrome_trace(path)
rows = [[row.key, row.count, row.cpu_time_total, row.self_cpu_time_total] for row in recorded.key_averages()]
print(json.dumps({"path": path, "steps": STEPS, "rows": rows}))
