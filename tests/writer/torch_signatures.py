"""Prints, as JSON, the parameters of torch's SummaryWriter methods with their defaults; runs with the peers' Python."""
# pyright: reportMissingImports=false

import inspect
import json

from torch.utils.tensorboard import SummaryWriter

METHODS = {name for name in vars(SummaryWriter) if not name.startswith("_")} | {"__init__", "__enter__", "__exit__"}

if __name__ == "__main__":
    parameters = {name: inspect.signature(getattr(SummaryWriter, name)).parameters.values() for name in sorted(METHODS)}
    print(json.dumps({name: [[p.name, repr(p.default), p.kind.name] for p in each] for name, each in parameters.items()}))
