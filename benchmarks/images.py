"""Measures a folder with 100,000 images in 10 GB beside TensorBoard: until they are listed, any one of them, and memory."""

from __future__ import annotations

import json
import random
import shutil
import statistics
import struct
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from client import POLL_SECONDS, Client, Server, read_frame
from dataset import BEGAN, KEPT
from first_paint import tensorboard
from stepscope.writer import SummaryWriter

TAGS = 10
STEPS = 10_000
SIDE = 183  # pixels; with noise a picture of this size has 100 kB
PICTURES = 40  # that differ; all steps show one of them
LOOKED_AT = 200


def make() -> Path:
    """The folder; made once, complete or not there at all."""
    folder = KEPT / f"images_{TAGS}x{STEPS}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    pictures = [_png(np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)) for seed in range(PICTURES)]
    with SummaryWriter(draft / "run") as writer:
        for step in range(STEPS):
            for tag in range(TAGS):
                writer.add_image(f"samples/{tag}", pictures[(step + tag) % PICTURES], step, BEGAN + step)
            if step % 50 == 0:
                writer.flush()
    draft.rename(folder)
    return folder


def images(peers: str) -> dict[str, Any]:
    """Both servers on one folder, each from its start."""
    folder = make()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as home:
        empty = Path(home) / "empty"
        empty.mkdir()
        with Server(empty, home=Path(home)) as server:
            server.client().wait_until_loaded(0)
            before = memory_of(server.process)
        began = time.perf_counter()
        with Server(folder, home=Path(home)) as server:
            client = server.client()
            client.wait_until_loaded(0)
            loaded = time.perf_counter() - began
            ours = listed(client) | {"loaded_seconds": loaded}
            ours["added_megabytes"] = (memory_of(server.process) - before) / 1e6
    began = time.perf_counter()
    with tensorboard(folder, peers) as address:
        kept = wait_until_tensorboard_has_all(address)
        theirs = {"loaded_seconds": time.perf_counter() - began, "images": kept * TAGS}
    return {"images": TAGS * STEPS, "bytes": size, "poll_seconds": POLL_SECONDS, "stepscope": ours, "tensorboard": theirs}


def listed(client: Client) -> dict[str, float]:
    """What a visit to the tab asks for, and images at random steps."""
    began = time.perf_counter()
    answer = client.get("images/tags")
    run = answer["runs"][0]
    series = [{"run": run, "tag": tag["name"]} for tag in answer["tags"]]
    _, columns = read_frame(client.ask("POST", "images/steps", {"series": series}))
    opened = time.perf_counter() - began
    chosen, times = random.Random(1), []
    for _ in range(LOOKED_AT):
        tag, step = chosen.randrange(TAGS), chosen.randrange(STEPS)
        query = urllib.parse.urlencode({"run": run, "tag": f"samples/{tag}", "step": step})
        began = time.perf_counter()
        client.ask("GET", f"images/image?{query}")
        times.append(time.perf_counter() - began)
    steps = sum(len(column) for (_, name), column in columns.items() if name == "step")
    return {
        "images": steps,
        "opened_seconds": opened,
        "image_median_seconds": statistics.median(times),
        "image_p95_seconds": float(np.percentile(times, 95)),
    }


def wait_until_tensorboard_has_all(address: str) -> int:
    """Waits for the last step of the last tag; returns how many steps TensorBoard keeps of it."""
    query = urllib.parse.urlencode({"run": "run", "tag": f"samples/{TAGS - 1}", "sample": 0})
    until = time.monotonic() + 900
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}data/plugin/images/images?{query}", timeout=60) as answer:
                rows = json.load(answer)
            if rows and rows[-1]["step"] == STEPS - 1:
                return len(rows)
        except OSError:
            pass  # it answers 404 until it has met the tag
        time.sleep(POLL_SECONDS)
    raise SystemExit("TensorBoard did not load the images within a quarter of an hour.")


def memory_of(process: subprocess.Popen[str]) -> int:
    """Bytes that are the process's alone, which leaves out what the system keeps of files."""
    return int(psutil.Process(process.pid).memory_full_info().uss)


def _png(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    height, width, _ = pixels.shape

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
