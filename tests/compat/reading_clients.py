"""Reads a log folder with tbparse and tensorboard-reducer, with TensorBoard's reader and with ours; runs with the plugins' Python."""
# pyright: reportMissingImports=false

import json
import sys
from importlib import import_module, reload
from typing import Any

import tensorboard_reducer.load as reducer
from tbparse import summary_reader
from tensorboard.backend.event_processing import event_accumulator as their_accumulator
from tensorboard.backend.event_processing import event_file_loader as their_loader
from tensorboard_reducer import event_loader

from stepscope.compat import event_accumulator as our_accumulator
from stepscope.compat import event_file_loader as our_loader

OF_TBPARSE = ("scalars", "tensors", "histograms", "text", "hparams")
"""Images and sounds it decodes with TensorFlow alone."""
PACKAGE = "tensorboard.backend.event_processing"


def read_all(folder: str, runs: list[str], accumulator: Any, loader: Any) -> dict[str, Any]:
    """What both programs make of the folder: tbparse imports EventAccumulator, and tensorboard-reducer the loader of files."""
    for name, module in {"event_accumulator": accumulator, "event_file_loader": loader}.items():
        sys.modules[f"{PACKAGE}.{name}"] = module
        setattr(import_module(PACKAGE), name, module)
    for program in (summary_reader, event_loader, reducer):
        reload(program)
    assert summary_reader.EventAccumulator is accumulator.EventAccumulator
    assert event_loader.event_file_loader is loader
    parsed = summary_reader.SummaryReader(folder, extra_columns={"dir_name"})
    frames = {name: getattr(parsed, name) for name in OF_TBPARSE}
    reduced = reducer.load_tb_events(runs, strict_tags=False, strict_steps=False, handle_dup_steps="mean", verbose=False)
    return {
        **{f"tbparse {name}": json.loads(frame.to_json(default_handler=repr)) for name, frame in frames.items()},
        **{f"reducer {tag}": json.loads(frame.to_json(orient="split")) for tag, frame in reduced.items()},
    }


if __name__ == "__main__":
    folder, *runs = sys.argv[1:]
    theirs = read_all(folder, runs, their_accumulator, their_loader)
    print(json.dumps({"theirs": theirs, "ours": read_all(folder, runs, our_accumulator, our_loader)}))
