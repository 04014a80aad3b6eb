"""Prints, as JSON, the parameters of torch's SummaryWriter methods with their defaults; runs with the peers' Python."""
# pyright: reportMissingImports=false

import inspect
import json

from torch.utils.tensorboard import SummaryWriter

METHODS = ("__init__", "add_scalar", "flush", "close", "get_logdir", "__enter__", "__exit__")

if __name__ == "__main__":
    parameters = {name: inspect.signature(getattr(SummaryWriter, name)).parameters.values() for name in METHODS}
    print(json.dumps({name: [[p.name, repr(p.default), p.kind.name] for p in each] for name, each in parameters.items()}))
