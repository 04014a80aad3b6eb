"""Measures serving: viewports of a long series, how soon a written point arrives, and the restart of a large folder."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from client import Client, Server
from dataset import FIVE_GIGABYTES_SCALARS, LONG_SERIES, Shape, make, make_five_gigabytes

HERE = Path(__file__).resolve().parent


def percentile(seconds: list[float], part: float) -> float:
    """A percentile in milliseconds."""
    return float(np.percentile(seconds, part) * 1000)


def only_series(client: Client) -> list[dict[str, str]]:
    """The first run's first tag."""
    return [{"run": client.get("runs?fold=false")["runs"][0]["id"], "tag": client.get("tags?fold=false")["tags"][0]["name"]}]


def windows(steps: int, count: int) -> list[list[int]]:
    """Views of all widths, from everything down to a hundred steps; the same ones every time."""
    chance = random.Random(5)
    found: list[list[int]] = []
    for _ in range(count):
        width = int(steps * 10 ** -chance.uniform(0, 5))
        first = chance.randrange(max(1, steps - width))
        found.append([first, first + max(width, 100)])
    return found


def viewport(shape: Shape = LONG_SERIES, count: int = 200) -> dict[str, Any]:
    """Raw and smoothed views of one long series, through HTTP."""
    with Server(make(shape), "--no-cache") as server:
        client = server.client()
        client.wait_until_loaded(shape.events)
        wanted = only_series(client)
        client.series(wanted)
        result: dict[str, Any] = {"points": shape.events, "views": count, "raw": timed_views(client, wanted, shape, count, None)}
        for method, amount in (("ema", 0.6), ("mean", 101), ("median", 101), ("gaussian", 20)):
            smoothing = {"method": method, "amount": amount}
            began = time.perf_counter()
            client.series(wanted, smoothing=smoothing)
            first = (time.perf_counter() - began) * 1000
            result[method] = {"first_ms": first, **timed_views(client, wanted, shape, count, smoothing)}
    return result


def timed_views(client: Client, wanted: list[dict[str, str]], shape: Shape, count: int, smoothing: object) -> dict[str, float]:
    """Median and 95th percentile of many views."""
    times: list[float] = []
    for window in windows(shape.steps, count):
        began = time.perf_counter()
        client.series(wanted, range=window, smoothing=smoothing)
        times.append(time.perf_counter() - began)
    return {"p50_ms": percentile(times, 50), "p95_ms": percentile(times, 95)}


class Follower:
    """What a page does: listens to the live stream, fetches what changed, and notes how old each new point is."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.ages: list[float] = []
        self.seen: dict[str, int] = {}
        self.stopping = threading.Event()
        self.changed = threading.Event()
        self.threads = [threading.Thread(target=self.listen, daemon=True), threading.Thread(target=self.fetch, daemon=True)]
        for thread in self.threads:
            thread.start()

    def listen(self) -> None:
        """Wakes the fetcher at every delta."""
        client = self.server.client()
        client.connection.request("GET", f"{client.prefix}/api/v1/live")
        for line in client.connection.getresponse():
            if self.stopping.is_set():
                return
            if line.startswith(b"event: delta"):
                self.changed.set()

    def fetch(self) -> None:
        """Asks for the new part of every run and takes the points' ages."""
        client = self.server.client()
        while not self.stopping.is_set():
            if self.changed.wait(0.2):
                self.changed.clear()
                self.take(client)

    def take(self, client: Client) -> None:
        """One look; a point's wall time is the moment before its bytes were written."""
        runs = client.get("runs?fold=false")["runs"]
        if not runs:
            return
        first = min((self.seen.get(run["id"], -1) for run in runs), default=-1)
        wanted = [{"run": run["id"], "tag": "loss"} for run in runs]
        header, columns = client.series(wanted, range=[first, 1e15], width=8192)
        now = time.time()
        for place, series in enumerate(header["series"]):
            known = self.seen.get(series["run"], -1)
            steps, walls = columns.get((place, "step")), columns.get((place, "wall"))
            if steps is None or walls is None:
                continue
            fresh = steps > known
            self.ages.extend((now - walls[fresh]).tolist())
            self.seen[series["run"]] = int(max(known, steps.max()))

    def stop(self) -> None:
        """Ends the fetcher; the listener ends with the server."""
        self.stopping.set()
        self.threads[1].join(10)


def live(seconds: float, writers: int = 50, rate: int = 100, processes: int = 5) -> dict[str, Any]:
    """Many writers at once; how old a point is when a client has it, and whether any is missing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs"
        folder.mkdir()
        with Server(folder, "--no-cache") as server:
            follower = Follower(server)
            command = [sys.executable, str(HERE / "write_live.py"), str(folder), str(writers // processes), str(rate), str(seconds)]
            started = [subprocess.Popen([*command, str(place)], stdout=subprocess.PIPE, text=True) for place in range(processes)]
            written = sum(json.loads(process.communicate()[0])["points"] for process in started)
            time.sleep(3)
            client = server.client()
            follower.stop()
            follower.take(client)
            served = client.get("folder")["points"]
    return {
        "writers": writers,
        "points_per_second": writers * rate,
        "seconds": seconds,
        "written": written,
        "missing": written - served,
        "fetched": len(follower.ages),
        "p50_ms": percentile(follower.ages, 50),
        "p99_ms": percentile(follower.ages, 99),
    }


def bytes_read(process: int) -> int:
    """Bytes a process asked the system for, also those that were in the page cache (Linux)."""
    for line in Path(f"/proc/{process}/io").read_text().splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    return 0


def restart() -> dict[str, Any]:
    """The second start of a server on a 5 GB folder: when is the first curve there, and what was read for it."""
    folder = make_five_gigabytes()
    total = sum(path.stat().st_size for path in folder.rglob("*tfevents*"))
    with tempfile.TemporaryDirectory() as home:
        with Server(folder, home=Path(home)) as server:
            server.client().wait_until_loaded(FIVE_GIGABYTES_SCALARS.events)
            first_load = time.perf_counter() - server.began
        with Server(folder, home=Path(home)) as server:
            client = server.client()
            while True:
                runs = client.get("runs?fold=false")["runs"]
                if runs and client.series([{"run": runs[0]["id"], "tag": "group0/tag0"}])[0]["series"][0]["points"]:
                    break
            served = time.perf_counter()
            read = bytes_read(server.process.pid)
    return {
        "bytes": total,
        "first_start_seconds": first_load,
        "series_after_port_seconds": served - server.announced,
        "series_after_exec_seconds": served - server.began,
        "bytes_read": read,
        "bytes_read_fraction": read / total,
    }
