"""Writes scalars with tensorboardX, also as groups and for hyper-parameters."""

import sys
from pathlib import Path

import numpy as np
from tensorboardX import SummaryWriter

if __name__ == "__main__":
    top = Path(sys.argv[1])
    with SummaryWriter(str(top / "plain")) as writer:
        for step in range(50):
            writer.add_scalar("loss", np.float32(1 / (step + 1)), step)
            writer.add_scalar("shown/rate", step / 3, step, display_name="Rate", summary_description="per step")
            writer.add_scalars("pair", {"sin": float(np.sin(step)), "cos": float(np.cos(step))}, step)
        writer.add_hparams({"lr": 0.1}, {"best": 1.0}, name="trial")
