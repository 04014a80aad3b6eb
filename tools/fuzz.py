"""Builds the fuzz drivers with sanitizers and runs each for some seconds, two at a time; a finding ends it with an error."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from locking import exclusive
from native import ROOT, configure, program
from steps import AT_ONCE


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
    drivers = [given.build / f"fuzz_{driver.stem}" for driver in sorted((ROOT / "native" / "fuzz").glob("*.cpp"))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = [fault for fault in pool.map(lambda driver: fuzz(driver, given.seconds, given.seed), drivers) if fault]
    if faults:
        raise SystemExit("\n".join(faults))


def fuzz(driver: Path, seconds: int, seed: int) -> str:
    """Runs one driver, shows what it printed, and returns a sentence on what it found."""
    command = [driver, str(seconds), str(seed)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    print(f"{driver.name} for {seconds} s, seed {seed}: {ended.stdout.strip()}", flush=True)
    return f"{driver.name} found a fault: run {driver} {seconds} {seed} to see it again." if ended.returncode else ""


if __name__ == "__main__":
    main()
