"""Writes scalars with the tensorboard package's own writer, which needs neither TensorFlow nor torch."""

import sys
from pathlib import Path

import numpy as np
from tensorboard.summary import Writer

if __name__ == "__main__":
    writer = Writer(str(Path(sys.argv[1]) / "plain"))
    for step in range(60):
        writer.add_scalar("loss", np.float32(1 / (step + 1)), step)
        writer.add_scalar("count", step, step, wall_time=1_650_000_000.5 + step, description="how many")
    writer.close()
