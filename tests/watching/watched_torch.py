"""Watches torch modules and logs their weights and gradients, and prints what is found; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import logging
import sys
from pathlib import Path
from typing import Any

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util
from torch import nn

from stepscope import SummaryWriter, every, record_if
from stepscope.watching import log_gradients, log_weights, watch_numerics
from stepscope.writer.bitmap_font import text_dots

logging.getLogger("stepscope").setLevel(logging.ERROR)


class Net(nn.Module):
    """Divides by `divisor` in the middle; returns a dictionary, and has a module in it that changes its input in place."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
        self.lookup = nn.Embedding(10, 4, sparse=True)
        self.head = nn.Linear(4, 1)
        self.divisor = 1.0
        nn.init.zeros_(self.lookup.weight)
        nn.init.ones_(self.head.weight)

    def forward(self, inputs: Any, index: Any) -> Any:
        hidden = self.layers(inputs) + self.lookup(index) + 1
        return {"out": [self.head(hidden / self.divisor)], "extra": torch.tensor(3)}


def train(net: Any, watch: Any, steps: int, divide_at: int, inputs: Any = None) -> None:
    index = torch.tensor([1, 1, 2])
    for step in range(steps):
        net.divisor = 0.0 if step >= divide_at else 1.0
        net.zero_grad()
        net(torch.ones(3, 4) if inputs is None else inputs, index=index)["out"][0].pow(2).mean().backward()
        if watch is not None:
            watch.check(step)


def told(watch: Any) -> Any:
    return {"first": list(watch.first) if watch.first else None, "all": [list(finding) for finding in watch.findings]}


def hooks(net: Any) -> int:
    """How many hooks sit in a module."""
    modules = sum(len(each._forward_hooks) + len(each._forward_pre_hooks) for each in net.modules())
    return modules + sum(len(each._backward_hooks or ()) + len(each._post_accumulate_grad_hooks or ()) for each in net.parameters())


def watched(folder: Path) -> Any:
    net = Net()
    with SummaryWriter(folder) as writer, watch_numerics(net, writer) as watch:
        during = hooks(net)
        train(net, watch, 5, divide_at=3)
    train(net, None, 2, divide_at=0)
    return {**told(watch), "during": during, "after": hooks(net)}


def fine() -> Any:
    net = Net()
    with watch_numerics(net) as watch:
        train(net, watch, 3, divide_at=9)
    return told(watch)


def bad_inputs() -> Any:
    net = Net()
    watch = watch_numerics(net)
    train(net, watch, 1, 9, torch.full((3, 4), float("inf")))
    return told(watch)


def in_backward_only() -> Any:
    """The square root's derivative at zero is infinite, while all activations are fine."""

    class Root(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.zeros(3))

        def forward(self, inputs: Any) -> Any:
            return (inputs * self.scale).sqrt()

    net = nn.Sequential(nn.Linear(3, 3), Root())
    watch = watch_numerics(net)
    net(torch.ones(2, 3)).sum().backward()
    watch.check(7)
    return told(watch)


def kinds() -> Any:
    """Floats of every size, complex numbers, and large but finite numbers whose sum would overflow."""
    found = {}
    for name in ("float16", "bfloat16", "float32", "float64", "complex64", "float8_e5m2"):
        dtype = getattr(torch, name)
        net = nn.Identity()
        watch = watch_numerics(net)
        biggest = torch.full((1000,), {"float64": 1e300, "float8_e5m2": 448.0}.get(name, 5e4), dtype=torch.float64)
        net(biggest.to(dtype))
        net(torch.empty(0))
        net(torch.tensor([1, 2]))
        before = watch.first
        watch.check()
        fine = watch.first
        net(torch.tensor([1.0, float("nan")]).to(dtype))
        watch.check()
        found[name] = [before is None and fine is None, list(watch.first) if watch.first else None]
    return found


def refused() -> str:
    try:
        watch_numerics(torch.compile(nn.Linear(2, 2)))
    except TypeError as error:
        return str(error)
    return ""


def compiled() -> Any:
    """A model that is compiled while it is watched; what compiles it needs no C++ compiler."""
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    watch = watch_numerics(net)
    run = torch.compile(net, backend="eager")
    for number in (1.0, float("nan")):
        run(torch.full((2, 4), number)).sum().backward()
        watch.check()
    watch.close()
    return told(watch)


def same_weights() -> bool:
    """Whether training with the watch gives, to the last bit, what it gives without."""
    results = []
    for with_watch in (False, True):
        torch.manual_seed(3)
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        watch = watch_numerics(net) if with_watch else None
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.rand(3, 4), torch.tensor([1, 2, 3]))["out"][0].pow(2).mean().backward()
            optimizer.step()
        results.append(torch.cat([each.detach().flatten() for each in net.parameters()]))
        if watch is not None:
            watch.close()
    return bool(torch.equal(*results))


def norms(folder: Path) -> Any:
    net = Net()
    net.register_parameter("nothing", nn.Parameter(torch.empty(0)))
    net.register_parameter("wave", nn.Parameter(torch.tensor([3 + 4j])))
    net.register_parameter("lazy", nn.UninitializedParameter())
    train(net, None, 1, divide_at=9)
    with SummaryWriter(folder) as writer:
        log_weights(writer, net, 2)
        log_gradients(writer, net, 2)
        for step in range(7, 13):
            with record_if(every(5)):
                log_gradients(writer, net, step, histograms=False)
        log_weights(writer, {"tree": {"leaf": torch.ones(4)}}, 2, histograms=False)
    expected = {}
    for name, parameter in net.named_parameters():
        if name != "lazy" and parameter.grad is not None:
            expected[name] = float(parameter.grad.to_dense().norm())
    return {"tags": tags(folder), "expected": expected}


def tags(folder: Path) -> Any:
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()
    values: dict[str, Any] = {}
    for tag in accumulator.Tags()["tensors"]:
        arrays = [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in accumulator.Tensors(tag)]
        values[tag] = [
            [step, value.tolist() if value.dtype.kind in "fi" else [each.decode() for each in value]] for step, value in arrays
        ]
    histograms = {tag: accumulator.Histograms(tag)[0].histogram_value.num for tag in accumulator.Tags()["histograms"]}
    return {"values": values, "histograms": histograms}


def letters() -> Any:
    """A word that the typeface of dots has no letters for, which Pillow draws."""
    drawn, boxes = text_dots("über", 4), text_dots("\x01ber", 4)
    return [drawn.shape[0], bool(drawn.any()), drawn.shape == boxes.shape and bool((drawn == boxes).all())]


if __name__ == "__main__":
    top = Path(sys.argv[1])
    print(
        json.dumps(
            {
                "watched": watched(top / "watched"),
                "fine": fine(),
                "inputs": bad_inputs(),
                "backward": in_backward_only(),
                "kinds": kinds(),
                "refused": refused(),
                "compiled": compiled(),
                "same": same_weights(),
                "letters": letters(),
                "logged": tags(top / "watched"),
                "norms": norms(top / "norms"),
            }
        )
    )
