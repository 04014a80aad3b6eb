"""Logs from inside torch.compile, and prints, as JSON, what is read back; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch._dynamo.utils import counters

import stepscope
from stepscope import SummaryWriter, summary
from stepscope._native import EventFile, NamePool


def train(folder: Path) -> list[float]:
    writer = SummaryWriter(folder / "writer")
    default = summary.create_file_writer(folder / "summary")
    model = torch.nn.Linear(3, 1)

    @torch.compile(backend="eager")
    def step_of(x: Any, step: int) -> Any:
        loss = model(x).square().sum()
        writer.add_scalar("loss", loss, step)
        writer.add_histogram("weights", model.weight, step)
        with default.as_default(step=step):
            summary.scalar("loss", loss)
        if stepscope.every(2)(step):
            writer.add_scalar("every second", loss.detach(), step)
        return loss * 2

    values: list[float] = []
    for step in range(4):
        loss = step_of(torch.full((2, 3), float(step + 1)), step)
        loss.backward()
        values.append(float(loss.detach()) / 2)
    writer.close()
    default.close()
    return values


def read(folder: Path) -> dict[str, Any]:
    names, (path,) = NamePool(), folder.glob("*tfevents*")
    events = EventFile(str(path), names)
    events.scan()
    tags = [names.name(int(tag)).decode() for tag in events.tag_ids()]
    columns = [events.scalars(index) if kind == 0 else events.blobs(index) for index, kind in enumerate(events.kinds())]
    return {tag: [part[0].tolist(), part[2].tolist()] for tag, part in zip(tags, columns, strict=True)}


if __name__ == "__main__":
    logging.basicConfig()
    top = Path(sys.argv[1])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        values = train(top)
    breaks = [reason.partition("\n")[0] for reason in counters["graph_break"]]
    report = {"values": values, "writer": read(top / "writer"), "summary": read(top / "summary"), "breaks": breaks}
    print(json.dumps({**report, "warned": [str(each.message) for each in warned]}))
