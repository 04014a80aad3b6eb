"""One of two torch processes that meet over a file, without a launcher's variables; prints, as JSON, what it takes itself for."""
# pyright: reportMissingImports=false

import json
import sys

import torch.distributed

from stepscope.integrations.ranks import is_first, rank

if __name__ == "__main__":
    before = rank()
    torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=int(sys.argv[2]), world_size=2)
    print(json.dumps([before, rank(), is_first()]))
    torch.distributed.destroy_process_group()
