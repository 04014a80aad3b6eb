"""Takes the pictures of the documentation: runs the demo to its end and photographs its page in Chromium; `make pictures` calls it."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

import chromium
from reduced_png import reduced

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WINDOW: ViewportSize = {"width": 1440, "height": 900}
LARGEST_BYTES = 300_000
LOADING_SECONDS = 30.0
BUSY = ".skeleton, [aria-busy='true'], .spinner"
SETTLE_MS = 1_500
"""For lines to be drawn and pictures to be decoded, of which the page says nothing."""


def main() -> None:
    """Takes all pictures, of a demo that is trained for it or of one that was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo", nargs="?", type=Path, help="folder of a demo that has ended; without it one is trained")
    parser.add_argument("--images", type=Path, default=IMAGES, help="folder to write the pictures to")
    options = parser.parse_args()
    program = chromium.ensure()
    if program is None:
        raise SystemExit("The pictures need Chromium.")
    options.images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = options.demo or train(Path(scratch) / "tones")
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        with serving(folder, Path(scratch)) as address:
            take_all(launched, address, options.images)
        launched.close()


def train(folder: Path) -> Path:
    """The folder of a demo that has ended; its name is the page's title."""
    print("training the demo; this takes a minute or two", file=sys.stderr)
    stepscope("demo", str(folder), "--train-only").wait()
    return folder


def take_all(browser: Browser, address: str, images: Path) -> None:
    """Each picture: its name, and the page's address that shows it."""
    baseline = session_of(address, "baseline")
    for name, view in {
        "charts": "#scalars?smooth=ema:0.9",
        "media": "#media?tags=predictions|filters|confusion",
        "profile": f"#profile?session={baseline}",
    }.items():
        page = browser.new_page(viewport=WINDOW, color_scheme="light", locale="en-GB", timezone_id="UTC")
        page.goto(f"{address}{view}")
        settle(page)
        path = images / f"{name}.png"
        size = path.write_bytes(reduced(page.screenshot(), browser))
        page.close()
        print(f"{path}: {size / 1000:.0f} kB", file=sys.stderr)
        if size > LARGEST_BYTES:
            raise SystemExit(f"{path.name} is larger than {LARGEST_BYTES / 1000:.0f} kB; show less in it.")


def session_of(address: str, run: str) -> str:
    """The id of a run's profile, as soon as it is loaded."""
    deadline = time.monotonic() + LOADING_SECONDS
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{address}api/v1/profile/sessions") as answer:
            for session in json.load(answer)["sessions"]:
                if run in session["run_name"]:
                    return str(session["id"])
        time.sleep(0.1)
    raise SystemExit(f"The demo has no profile of {run}; let it train to its end.")


def settle(page: Page) -> None:
    """Waits until nothing is loading any more."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function(f"() => document.querySelector({BUSY!r}) === null")
    page.wait_for_timeout(SETTLE_MS)


def stepscope(*arguments: str, homes: Path | None = None) -> subprocess.Popen[str]:
    """A process of this clone's stepscope, with a cache and data folder of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    if homes is not None:
        environment.update({name: str(homes / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")})
    return subprocess.Popen([sys.executable, "-m", "stepscope", *arguments], env=environment, stdout=subprocess.PIPE, text=True)


@contextmanager
def serving(folder: Path, homes: Path) -> Iterator[str]:
    """The address of a page on the folder."""
    process = stepscope("serve", str(folder), "--port", "0", homes=homes)
    try:
        said = process.stdout.readline() if process.stdout else ""
        found = re.search(r"http://\S+", said)
        if found is None:
            raise SystemExit("The page could not be served: build it with `make page`.")
        yield found.group()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
