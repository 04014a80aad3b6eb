"""Writes scalars with torch's SummaryWriter in each of its ways: old and new style, double precision, groups, hparams, purge."""

import sys
from pathlib import Path

import torch
from torch.utils.tensorboard import SummaryWriter

STEPS = 40


def write_styles(folder: Path) -> None:
    with SummaryWriter(str(folder / "styles")) as writer:
        for step in range(STEPS):
            writer.add_scalar("old", step / 9, step)
            writer.add_scalar("new", step / 9, step, new_style=True)
            writer.add_scalar("double", step / 9, step, double_precision=True, new_style=True)
            writer.add_scalar("from tensor", torch.tensor(step / 9), step)
            writer.add_scalar("with wall time", step, step, walltime=1_600_000_000.125 + step)
        writer.add_scalar("not a number", float("nan"), 0)
        writer.add_scalar("infinite", float("inf"), 0)
        writer.add_histogram("weights", torch.arange(10.0), 0)
        writer.add_text("note", "plain text", 0)


def write_groups(folder: Path) -> None:
    with SummaryWriter(str(folder / "groups")) as writer:
        for step in range(STEPS):
            writer.add_scalars("loss", {"train": 1 / (step + 1), "valid": 2 / (step + 1)}, step)
            writer.add_scalar("alone", step, step)
        writer.add_hparams({"lr": 0.1, "layers": 3, "bias": True, "name": "a"}, {"best": 0.5}, run_name="trial")


def write_restart(folder: Path) -> None:
    """The second writer says that everything from step 20 on is to be forgotten."""
    for first, purge in ((0, None), (20, 20)):
        with SummaryWriter(str(folder / "restart"), purge_step=purge, filename_suffix=f".{first}") as writer:
            for step in range(first, STEPS):
                writer.add_scalar("loss", step + first / 100, step)


if __name__ == "__main__":
    top = Path(sys.argv[1])
    write_styles(top)
    write_groups(top)
    write_restart(top)
