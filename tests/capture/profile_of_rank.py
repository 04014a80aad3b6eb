"""One of two torch processes that train together over gloo and capture the same steps; prints sessions and clock offset as JSON."""
# pyright: reportMissingImports=false

import gzip
import json
import sys
from pathlib import Path

import torch.distributed

import stepscope
from stepscope.capture.profilers.rank_clock import AHEAD, ERROR

if __name__ == "__main__":
    meeting, rank, folder = sys.argv[1:]
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=int(rank), world_size=2)
    data = torch.ones(64, 64)
    with stepscope.profile(folder, steps="2-4", framework="torch") as profile:
        for number in range(6):
            with profile.step(number):
                torch.distributed.all_reduce(data @ data)
    torch.distributed.destroy_process_group()
    (path,) = Path(profile.sessions[0]).glob(f"*_rank{rank}.*")
    told = json.loads(gzip.decompress(path.read_bytes()))
    print(json.dumps({"sessions": profile.sessions, "ahead_ns": told[AHEAD], "error_ns": told[ERROR]}))
