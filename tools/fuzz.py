"""Builds the fuzz drivers with sanitizers and runs each for some seconds; the first finding ends it with an error."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from locking import exclusive
from native import ROOT, configure, program


def main() -> None:
    """Each driver takes the seconds to run and a seed; the seed is printed, so that a finding can be had again."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz")
    arguments.add_argument("--seconds", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    given = arguments.parse_args()
    given.build.mkdir(parents=True, exist_ok=True)
    with exclusive(given.build / ".lock"):
        configure(given.build, ["-DSTEPSCOPE_FUZZ=ON"])
        result = subprocess.run([program("ninja"), "-C", given.build], capture_output=True, text=True, check=False)
    if result.returncode:
        sys.stderr.write(result.stdout + result.stderr)
        raise SystemExit("The fuzz drivers do not compile: see the messages above.")
    for driver in sorted((ROOT / "native" / "fuzz").glob("*.cpp")):
        command = [given.build / f"fuzz_{driver.stem}", str(given.seconds), str(given.seed)]
        print(f"fuzzing {driver.stem} for {given.seconds} s, seed {given.seed}", flush=True)
        if subprocess.run(command, check=False).returncode:
            raise SystemExit(f"Fuzzing {driver.stem} found a fault: run {command[0]} {given.seconds} {given.seed} to see it again.")


if __name__ == "__main__":
    main()
