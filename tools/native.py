"""Builds the C++ core into build/dev and puts the module beside the Python sources, for work on a clone.

One build at a time: a second caller waits for the first. A running process keeps the module it loaded, because the
new one is renamed over the old one and never written into it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from locking import exclusive

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "stepscope"


def program(name: str) -> str:
    """The tool installed beside this Python, or the system's."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else name


def configure(build: Path, options: list[str]) -> None:
    """Runs CMake; cheap when nothing changed, and it notices new files and options."""
    command = [program("cmake"), "-S", str(ROOT), "-B", str(build), "-G", "Ninja"]
    command += [f"-DCMAKE_MAKE_PROGRAM={program('ninja')}"] if Path(program("ninja")).is_absolute() else []
    command += [f"-DPython_EXECUTABLE={sys.executable}", "-DSTEPSCOPE_PAGE=OFF", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.stderr.write(result.stdout + result.stderr)
        raise SystemExit("The native core could not be configured: see the messages above.")


def build_module(build: Path) -> Path:
    """Compiles what changed and returns the module."""
    result = subprocess.run([program("ninja"), "-C", str(build), "_native"], capture_output=True, text=True, check=False)
    if result.returncode:
        sys.stderr.write(result.stdout + result.stderr)
        raise SystemExit("The native core does not compile: see the messages above.")
    modules = [path for path in build.glob("_native*") if path.suffix in {".so", ".pyd"}]
    return max(modules, key=lambda path: path.stat().st_mtime)


def place(module: Path, folder: Path) -> None:
    """Renames a copy over the old module, and takes away modules of other Pythons' naming."""
    target = folder / module.name
    if target.exists() and target.read_bytes() == module.read_bytes():
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copy2(module, draft)
    os.replace(draft, target)
    print(f"native core: {target.relative_to(ROOT)}")


def main() -> None:
    """Builds, and with --into puts the module into another folder than the package."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", type=Path, default=ROOT / "build" / "dev", help="the build folder")
    arguments.add_argument("--into", type=Path, default=PACKAGE, help="where the module goes")
    arguments.add_argument("options", nargs="*", help="more CMake options, such as -DSTEPSCOPE_NO_CRC_INSTRUCTION=ON")
    given = arguments.parse_args()
    given.build.mkdir(parents=True, exist_ok=True)
    given.into.mkdir(parents=True, exist_ok=True)
    with exclusive(given.build / ".lock"):
        configure(given.build, given.options)
        place(build_module(given.build), given.into)


if __name__ == "__main__":
    main()
