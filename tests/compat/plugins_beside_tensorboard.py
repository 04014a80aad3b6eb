"""Asks plugins the same under TensorBoard and under Stepscope and prints what differs; runs with the plugins' Python."""
# pyright: reportMissingImports=false

import gzip
import json
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).parent / "example_plugin"))

from tensorboard import default, program

import stepscope

OWN = "tensorboard_plugin_customizable_plots"


def ask(address: str, path: str, body: bytes | None = None) -> tuple[int, str, bytes]:
    try:
        with urlopen(Request(address.rstrip("/") + path, body), timeout=300) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    except HTTPError as error:
        return error.code, error.headers.get("Content-Type", ""), error.read()


def read(body: bytes) -> Any:
    """JSON whatever the order of its sets; anything else as it is. Some answers are compressed though nobody asked for that."""
    body = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
    try:
        found = json.loads(body)
    except ValueError:
        return body
    return sorted(found, key=str) if isinstance(found, list) and all(isinstance(one, str) for one in found) else found


def tensorboard(folder: str) -> str:
    # The broken example would end TensorBoard itself.
    plugins = [entry.load() for entry in metadata.entry_points(group="tensorboard_plugins") if entry.name != "broken"]
    board = program.TensorBoard(plugins=[*default.get_static_plugins(), *plugins])
    loading = ["--load_fast=false", "--reload_task=blocking", "--reload_interval=0"]
    samples = ",".join(f"{name}=100000" for name in ("scalars", "images", "audio", "histograms", "text"))
    board.configure(argv=["tensorboard", "--logdir", folder, "--port", "0", *loading, "--samples_per_plugin", samples])
    return board.launch()


def settled(address: str, path: str) -> Any:
    """What a route says once it says the same twice: plugins read profiles in threads."""
    said = None
    for _ in range(300):
        now = ask(address, path)
        if now == said and now[0] == 200 and b'"loading": true' not in now[2]:
            return read(now[2])
        said = now
        time.sleep(0.2)
    return read(said[2]) if said else None


def paths(theirs: str) -> list[str]:
    found = [
        f"/data/plugin/{OWN}/{route}" for route in ("tags", "runs", "data?ha=Step", "data?ha=Time", "static/index.html", "static/none")
    ]
    found += [f"/data/plugin/greeting/facts?plugin={name}" for name in ("scalars", "images", "audio", "text", "histograms", "none")]
    found += ["/data/plugin/greeting/static/index.js", "/experiment/some/data/plugin/greeting/facts", "/data/plugin/greeting/none"]
    torch = "/data/plugin/pytorch_profiler"
    for run in settled(theirs, f"{torch}/runs").get("runs", []):
        for view in ask_json(theirs, f"{torch}/views?{urlencode({'run': run})}"):
            worker = ask_json(theirs, f"{torch}/workers?{urlencode({'run': run, 'view': view})}")[0]
            span = (ask_json(theirs, f"{torch}/spans?{urlencode({'run': run, 'view': view, 'worker': worker})}") or [""])[0]
            named = urlencode({"run": run, "view": view, "worker": worker, "span": span, "group_by": "Operation"})
            found += [
                f"{torch}/{route}?{named}"
                for route in (
                    "views",
                    "workers",
                    "spans",
                    "overview",
                    "operation",
                    "operation/table",
                    "kernel",
                    "kernel/table",
                    "module",
                    "trace",
                    "memory",
                    "tree",
                )
            ]
    xprof = "/data/plugin/profile"
    for run in ask_json(theirs, f"{xprof}/runs"):
        tools = ask_json(theirs, f"{xprof}/run_tools?{urlencode({'run': run})}")
        found.append(f"{xprof}/run_tools?{urlencode({'run': run})}")
        for tool in tools:
            hosts = ask_json(theirs, f"{xprof}/hosts?{urlencode({'run': run, 'tag': tool})}")
            found.append(f"{xprof}/hosts?{urlencode({'run': run, 'tag': tool})}")
            host = hosts[0]["hostname"] if hosts else ""
            if tool in ("overview_page", "framework_op_stats", "kernel_stats", "input_pipeline_analyzer"):
                found.append(f"{xprof}/data?{urlencode({'run': run, 'tag': tool, 'host': host})}")
    return [*found, f"{xprof}/runs", f"{xprof}/config", f"{torch}/index.js", f"{xprof}/index.js"]


def ask_json(address: str, path: str) -> Any:
    found = read(ask(address, path)[2])
    if isinstance(found, dict):
        return next(iter(found.values()), [])
    return found if isinstance(found, list) else []


if __name__ == "__main__":
    folder = sys.argv[1]
    theirs, ours = tensorboard(folder), stepscope.serve(folder, port=0, cache=False)
    settled(ours, "/data/runs")
    settled(ours, "/data/plugin/pytorch_profiler/runs")
    asked = paths(theirs)
    different = {}
    answered = {}
    for path in asked:
        one, other = ask(theirs, path), ask(ours, path)
        same = one[0] == other[0] and (
            one[0] >= 400 or (one[1].partition(";")[0] == other[1].partition(";")[0] and read(one[2]) == read(other[2]))
        )
        plugin = path.partition("/plugin/")[2].partition("/")[0]
        answered[plugin] = answered.get(plugin, 0) + (one[0] == 200 and len(one[2]) > 2)
        if not same:
            different[path] = [str(one)[:400], str(other)[:400]]
    listing = read(ask(ours, "/data/plugins_listing")[2])
    real = read(ask(theirs, "/data/plugins_listing")[2])
    for name in ("greeting", OWN, "pytorch_profiler", "profile"):
        if listing.get(name) != real.get(name):
            different[f"listing of {name}"] = [str(real.get(name)), str(listing.get(name))]
    failed = {name: ask(ours, f"/data/plugin/{name}")[0] for name in ("broken/x", "greeting/fail", "nothing/x")}
    tabs = {
        tab["id"]: [tab["label"], tab["has_data"], bool(tab["problem"])]
        for tab in read(ask(ours, "/api/v1/folder")[2])["tabs"]
        if tab["plugin"]
    }
    posted = read(ask(ours, "/data/plugin/greeting/facts", b"some words")[2])["body"]
    entry = ask(ours, "/data/plugin_entry.html?name=greeting")
    ours.close()
    print(
        json.dumps({"different": different, "answered": answered, "failed": failed, "tabs": tabs, "posted": posted, "entry": entry[0]})
    )
