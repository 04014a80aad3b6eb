"""Turns benchmarks/results.json into docs/benchmarks.md and docs/profiles/truth.md; called by run.py, and by hand for new words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import truth.page
from measured_at import sources_of

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "benchmarks.md"
Results = dict[str, Any]


def seconds(value: float) -> str:
    """A duration with three digits."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.3g} s"


def millions(value: float) -> str:
    """A count in millions."""
    return f"{value / 1e6:.3g} M"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def loading(found: Results) -> str:
    """Side by side with the peers."""
    names = {"stepscope": "Stepscope", "data_server": "TensorBoard's Rust data server", "python_loader": "TensorBoard's Python loader"}
    kept = {"stepscope": "all", "data_server": "sampled", "python_loader": "sampled"}
    rows = [
        [names[who], seconds(found[who]["load_seconds"]), seconds(found[who]["process_seconds"]), kept[who], ratios(found, who)]
        for who in names
        if who in found
    ]
    head = ["", "load alone", "whole process", "points kept", "Stepscope is faster by (load, process)"]
    about = f"{millions(found['events'])} events, {found['bytes'] / 1e6:.0f} MB, no cache, every checksum checked by Stepscope."
    return f"## Loading\n\n{about} Medians of {found['rounds']}.\n\n{table(head, rows)}"


FORMS = {
    "tensorflow": "tf.summary and Keras (tensors)",
    "tensorflow_1": "TensorFlow 1 (simple values, a step in one event)",
    "torch": "torch (simple values)",
    "torch_tensors": "torch, `new_style=True` (tensors)",
    "tensorboardX": "tensorboardX (simple values)",
    "lightning": "Lightning's logger (simple values)",
    "many_tags": "torch, many tags",
    "many_files": "torch, many small files",
}


def forms(found: list[Results]) -> str:
    """Logs of the real writers."""
    rows = [
        [
            FORMS[row["form"]],
            f"{row['runs']:,} × {row['tags']:,}",
            f"{row['bytes'] / 1e6:.0f} MB",
            *(seconds(row[who]["process_seconds"]) for who in ("stepscope", "data_server")),
            *(f"{row[f'times_faster_{what}']:.3g}×" for what in ("process", "load")),
        ]
        for row in found
    ]
    head = ["written by", "runs × tags", "size", "Stepscope", "Rust data server", "faster by", "(load alone)"]
    about = f"{millions(found[0]['points'])} points each, written by the real writer with the tags of a step together; whole process."
    return f"## Loading by writer\n\n{about} Medians of {found[0]['rounds']}.\n\n{table(head, rows)}"


def ratios(found: Results, who: str) -> str:
    """How many times faster Stepscope was than this peer."""
    if who == "stepscope":
        return ""
    return f"{found[f'times_faster_than_{who}']:.3g}×, {found[f'times_faster_than_{who}_whole_process']:.3g}×"


def flipped(found: Results) -> str:
    """The damaged record."""
    verdict = "was found" if found["found"] else "was **not** found"
    return f"A flipped bit in the last record {verdict}; that load took {seconds(found['load_seconds'])}."


def scaling(found: list[Results]) -> str:
    """Load time over size."""
    rows = [[millions(row["events"]), seconds(row["load_seconds"]), f"{row['ns_per_event']:.0f} ns"] for row in found]
    return f"## Growth\n\n{table(['events', 'load', 'per event'], rows)}"


def memory(found: Results) -> str:
    """Bytes per point."""
    return f"## Memory\n\n{millions(found['points'])} points take {found['bytes_per_point']:.1f} bytes of private memory each."


def mapped(found: Results) -> str:
    """A very large folder, from its event files and from the cache."""
    rows = [
        [name, f"{found[key]['open_seconds'] * 1e3:,.0f} ms", f"{found[key]['private_bytes'] / 1e6:,.1f} MB"]
        for name, key in (("from the event files, cache written", "first"), ("again, from the cache", "second"))
    ]
    return f"## {millions(found['points'])} points\n\n{table(['', 'open', 'private memory'], rows)}"


def viewport(found: Results) -> str:
    """Views of one long series."""
    raw = ["raw", "", f"{found['raw']['p50_ms']:.1f} ms", f"{found['raw']['p95_ms']:.1f} ms"]
    smoothed = [
        [method, f"{found[method]['first_ms']:.0f} ms", f"{found[method]['p50_ms']:.1f} ms", f"{found[method]['p95_ms']:.1f} ms"]
        for method in ("ema", "mean", "median", "gaussian")
        if method in found
    ]
    about = f"One series of {millions(found['points'])} points over HTTP, {found['views']} views from everything down to 100 steps."
    return f"## Views\n\n{about}\n\n{table(['', 'first time', 'median', 'p95'], [raw, *smoothed])}"


def live(found: Results) -> str:
    """How soon a point arrives."""
    return (
        f"## Live\n\n{found['writers']} writers, {found['points_per_second']} points/s together for {found['seconds']:g} s: "
        f"a client has a point {found['p50_ms']:.0f} ms (median) and {found['p99_ms']:.0f} ms (p99) after it was written; "
        f"{found['missing']} of {found['written']} points are missing."
    )


def restart(found: Results) -> str:
    """The second start of a large folder."""
    return (
        f"## Restart\n\nA folder of {found['bytes'] / 1e9:.1f} GB, second start: the first curve is served "
        f"{seconds(found['series_after_port_seconds'])} after the port opened and {seconds(found['series_after_exec_seconds'])} after "
        f"the process began, with {found['bytes_read_fraction']:.2%} of the bytes read."
    )


def first_paint(found: list[Results]) -> str:
    """How soon the page shows something."""
    rows = [
        [f"{row['runs']:,}"] + [f"{row[who][what]:.0f} ms" for who in ("stepscope", "tensorboard") for what in ("paint_ms", "card_ms")]
        for row in found
    ]
    head = ["runs", "Stepscope: first paint", "first card", "TensorBoard: first paint", "first card"]
    both = all(row.get("both_loaded") for row in found)
    loaded = "both servers have loaded the folder" if both else "TensorBoard may still have been loading the folder"
    return f"## First paint\n\nIn Chromium without a GPU, {loaded}, medians of fresh visits.\n\n{table(head, rows)}"


def open_page(found: Results) -> str:
    """What a page does while it is open."""
    hover, live = found["hover"], found["frames"]
    return (
        f"## An open page\n\nWhile {found['runs']} runs of {found['tags']} tags grow for {found['seconds']:.0f} s, the page makes "
        f"{found['requests_per_second']:.1f} requests a second beside its one stream of live events, and frames come every "
        f"{live['median_ms']:.0f} ms (median; 95 % within {live['p95_ms']:.0f} ms). "
        f"While the pointer moves over {found['lines']:,} lines, frames come every {hover['median_ms']:.0f} ms "
        f"(95 % within {hover['p95_ms']:.0f} ms), with {hover['requests']} requests. "
        "In Chromium without a GPU."
    )


def polled(found: Results, once: float) -> str:
    """How often the servers were asked whether they are ready; `once` is how rarely TensorBoard was before both were asked alike."""
    if "poll_seconds" in found:
        return f"Both servers are asked every {found['poll_seconds'] * 1e3:.0f} ms whether they are ready."
    return f"TensorBoard was asked every {once:g} s whether it is ready, Stepscope every 50 ms."


def images(found: Results) -> str:
    """How soon any of many images can be seen."""
    ours, theirs = found["stepscope"], found["tensorboard"]
    rows = [
        [name, seconds(who["loaded_seconds"]), f"{who['images']:,} of {found['images']:,}"]
        for name, who in (("Stepscope", ours), ("TensorBoard", theirs))
    ]
    head = ["", "from the start until all is known", "images that can be seen"]
    return (
        f"## Images\n\n{found['images']:,} images, {found['bytes'] / 1e9:.1f} GB, no cache. {polled(found, 0.5)}\n\n"
        f"{table(head, rows)}\n\n"
        f"The list of all of them with their steps comes in {seconds(ours['opened_seconds'])}, and adds "
        f"{ours['added_megabytes']:.0f} MB to the server. An image at a random step comes in "
        f"{seconds(ours['image_median_seconds'])} (95 % within {seconds(ours['image_p95_seconds'])})."
    )


def histograms(found: Results) -> str:
    """How soon histograms are drawn."""
    rows = [
        [
            name,
            f"{found[who]['steps']:,} of {found['steps']:,}",
            seconds(found[who]["loaded_seconds"]),
            f"{found[who]['drawn_ms']:.0f} ms",
        ]
        for who, name in (("stepscope", "Stepscope"), ("tensorboard", "TensorBoard"))
    ]
    layers = found["stepscope"]["all_layers"]
    head = ["", "steps shown of each layer", "folder loaded", "page opened until cards are drawn"]
    return (
        f"## Histograms\n\n{found['steps']:,} steps of {found['layers']} layers, {found['bytes'] / 1e6:.0f} MB, in Chromium without a "
        f"GPU; medians of fresh visits to a loaded folder. {polled(found, 1.0)}\n\n"
        f"{table(head, rows)}\n\nThe server reduces all {found['layers']} layers "
        f"to a card's pixels in {seconds(layers['first_seconds'])}, over one connection, as {layers['megabytes']:.1f} MB, and again in "
        f"{seconds(layers['again_seconds'])}."
    )


def hparams(found: Results) -> str:
    """How soon a large search is answered and drawn."""
    names = {
        "first": "last values, the first time",
        "last": "last values",
        "best": "best values",
        "mean": "mean of 10",
        "at": "at a step",
    }
    rows = [[name, seconds(found[f"{key}_seconds"])] for key, name in names.items()]
    return (
        f"## Hyperparameters\n\n{found['runs']:,} runs with {found['hparams']} hyperparameters and {found['metrics']} "
        "metrics each, loaded.\n\n"
        f"{table(['table of all runs', 'answered in'], rows)}\n\nIn Chromium without a GPU the first rows are drawn "
        f"{seconds(found['drawn_ms'] / 1000)} after the visit to a fresh server; a frame while scrolling is {found['frame_ms']:.0f} "
        f"ms, nine in ten below {found['slow_frame_ms']:.0f} ms."
    )


def projector(found: Results) -> str:
    """How soon embeddings are drawn, and how long reductions take."""
    names = {"text": "TSV", "raw": "raw float32"}
    views = [
        [names[name], seconds(view["drawn_ms"] / 1000), f"{view['frame_ms']:.0f} ms", f"{view['slow_frame_ms']:.0f} ms"]
        for name, view in found["views"].items()
    ]
    limits = {"tsne": 10_000, "umap": 5_000}
    reductions = [
        [f"{row['points']:,}"]
        + [seconds(row[f"{name}_seconds"]) + (" (not in TensorBoard)" if row["points"] > most else "") for name, most in limits.items()]
        for row in found["reductions"]
    ]
    return (
        f"## Projector\n\n{found['points']:,} vectors of {found['dimensions']} numbers, in Chromium without a GPU; medians of first "
        f"visits to a fresh server. TensorBoard computes t-SNE of at most 10,000 points and UMAP of at most 5,000.\n\n"
        f"{table(['vectors as', 'page opened until PCA is drawn', 'frame while turning', 'nine in ten frames below'], views)}\n\n"
        f"{table(['points of 64 numbers', 't-SNE, 1,000 iterations', 'UMAP'], reductions)}"
    )


def graphs(found: Results) -> str:
    """How soon a large graph is drawn."""
    row = [
        f"{found['nodes']:,}",
        seconds(found["drawn_ms"] / 1000),
        seconds(found["opened_ms"] / 1000),
        f"{found['frame_ms']:.0f} ms",
        f"{found['slow_frame_ms']:.0f} ms",
    ]
    heads = ["nodes", "page opened until the graph is drawn", "search until a node three scopes deep is drawn"]
    return (
        "## Graphs\n\nA GraphDef of 100 layers with 10 blocks each, in Chromium without a GPU; medians of first visits to a fresh "
        "server. "
        "Only open scopes are laid out, so the size of the graph does not matter to the picture.\n\n"
        f"{table([*heads, 'frame while moving', 'nine in ten frames below'], [row])}"
    )


def writer(found: Results) -> str:
    """What logging costs the training thread and its process."""
    names = {"stepscope": "Stepscope", "torch": "torch", "tensorboardX": "tensorboardX", "tensorflow": "tf.summary"}
    rows = [
        [names[who], f"{found[who]['tight_us']:.2f} µs", f"{found[who]['paced_us']:.2f} µs", f"{found[who]['paced_p99_us']:.1f} µs"]
        + ["" if who == "stepscope" else f"{found[f'times_cheaper_than_{who}_{pace}']:.3g}×" for pace in ("tight", "paced")]
        for who in names
        if who in found
    ]
    head = ["add_scalar", "in a tight loop", "20 each ms", "p99", "Stepscope is cheaper by (tight)", "(20 each ms)"]
    parts = [f"## Logging\n\nTime on the caller's thread for one call.\n\n{table(head, rows)}"]
    if "sustained" in found:
        parts.append(writing(found["sustained"], found["training"], found["import"]))
    return "\n\n".join(parts)


def writing(sustained: Results, training: Results, imported: Results) -> str:
    """The costs beside a call's."""
    grown = f", with {sustained['own_growth_bytes'] / 1e6:.1f} MB more memory at the peak" if "own_growth_bytes" in sustained else ""
    lines = [
        f"{sustained['points_per_second'] / 1e6:.2f} M points/s go to disk from one thread over {sustained['tags']} tags, `close()` "
        f"included: {millions(sustained['points'])} points in {sustained['seconds']:.2f} s{grown}; TensorBoard's data server finds "
        f"{sustained['counted']:,} of them.",
        f"A training step of {training['step_ms']:.2f} ms that logs 20 scalars is {training['slowdown']:.1%} slower.",
        f"A histogram of a million numbers takes the background {training['histogram_float32_ms']:.1f} ms (float32) and "
        f"{training['histogram_float64_ms']:.1f} ms (float64).",
        f"`import stepscope` takes {seconds(imported['package_seconds'])}, with the writer {seconds(imported['writer_seconds'])}.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def capture(found: Results) -> str:
    """What timing steps costs, and profiling beside the framework's own profiler."""
    names = {"torch": "torch, 8 layers", "tensorflow": "Keras on TensorFlow, 8 layers"}
    rows = [
        [names[row["framework"]]]
        + [f"{row[f'{whose}_{part}']:.0f} ms" for part in ("steps_ms", "written_ms") for whose in ("ours", "own")]
        for row in found["profiled"]
    ]
    head = ["10 profiled steps", "Stepscope, loop", "own profiler, loop", "Stepscope, until written", "own profiler, until written"]
    share = found["step_with_phases_us"] / 1e3
    return (
        f"## Capturing\n\n`stepscope.steps` takes {found['step_us']:.1f} µs of the training thread per step, and "
        f"{found['step_with_phases_us']:.1f} µs with {found['phases']} phases: {share:.2%} of a step of 1 ms. `stepscope.span` takes "
        f"{found['span_us']:.2f} µs while nothing is captured.\n\nProfiles with the same options; the own profiler writes without "
        f"compression. Medians of {found['profiled'][0]['rounds']} processes each.\n\n{table(head, rows)}"
    )


def profiles(found: Results) -> str:
    """Profiles beside XProf, and by size."""
    xspace = found["xspace"]
    largest = xspace["sizes"][-1]
    about = (
        f"An XSpace file of {largest['bytes'] / 1e6:.0f} MB and {millions(largest['events'])} events: a real capture, repeated with "
        f"other times; medians of {xspace['rounds']} for Stepscope, without its cache. Counts and totals of the "
        f"{xspace['operations_agreed']} operations that both list are the same, and those of the capture as often as it was repeated."
    )
    names = {"ops": "statistics of operations", "overview": "breakdown and most exposed operations"}
    growth = [
        [f"XSpace, {names[what]}", millions(row["events"]), f"{row['bytes'] / 1e6:.0f} MB", *cost(row[what], row["events"])]
        for what in names
        for row in xspace["sizes"]
    ]
    traces = [*(("PyTorch trace, read", row) for row in found["kineto"]), ("PyTorch trace, gzip, read", found["kineto_gzip"])]
    growth += [[name, millions(row["events"]), f"{row['bytes'] / 1e6:.0f} MB", *cost(row, row["events"])] for name, row in traces]
    sizes = table(["", "events", "file", "time", "per event", "peak memory"], growth)
    parts = [f"## Profiles\n\n{about}\n\n{beside_xprof(found)}\n\nCost by size, imports not counted:\n\n{sizes}"]
    if "report" in found:
        parts.append(whole_reports(found, largest["events"]))
    return "\n\n".join(parts)


SIDES = (
    "**Statistics of operations**: both sum the time of each operation. **Whole report**: Stepscope's `profile report` finds steps, "
    "breaks them down, checks all rules and predicts what each change saves; XProf's overview page finds steps, breaks them down, and "
    "lists top operations and its own recommendations."
)


def beside_xprof(found: Results) -> str:
    """Like beside like: the same statistics, and the whole report beside the overview; whole processes where both were timed so."""
    xspace = found["xspace"]
    ops, theirs = xspace["sizes"][-1]["ops"], xspace["peer"]
    whole = "process_seconds" in ops
    cold = found["report"]["cold"] if "report" in found else xspace["sizes"][-1]["overview"]
    pairs = [("statistics of operations", ops, theirs["ops"]), ("whole report", cold, theirs["overview"])]
    rows = [
        [
            name,
            seconds(mine := ours.get("process_seconds", ours["seconds"])),
            seconds(other := peer.get("process_seconds", peer["seconds"])),
            f"{other / mine:.3g}×",
            *(f"{side['peak_mb']:,.0f} MB" for side in (ours, peer)),
            f"{ours['peak_mb'] / peer['peak_mb']:.0%}",
        ]
        for name, ours, peer in pairs
    ]
    head = ["", "Stepscope", f"XProf {xspace['xprof']}", "faster by", "Stepscope's memory", "XProf's memory", "share"]
    counted = (
        "Whole processes on both sides." if whole else "Imports are counted in Stepscope's report only: XProf's process was not timed."
    )
    return f"{table(head, rows)}\n\n{counted} {SIDES}"


def whole_reports(found: Results, events: int) -> str:
    """The report with all its rules, of one large profile and of many ranks."""
    ranks = found["ranks"]
    measured = ((f"XSpace, {millions(events)} events", found["report"]), (f"PyTorch, {ranks['files']} ranks, gzip", ranks))
    rows = [
        [
            name,
            f"{row['bytes'] / 1e6:.0f} MB",
            *(seconds(row[when]["seconds"]) for when in ("cold", "again")),
            f"{row['cold']['peak_mb']:,.0f} MB",
        ]
        for name, row in measured
    ]
    about = "`stepscope profile report` with all rules, from the start of its process to its end, and once more from its cache:"
    return f"{about}\n\n{table(['', 'files', 'first', 'again', 'peak memory'], rows)}"


def cost(row: Results, events: int) -> list[str]:
    """Time, time per event and memory of one measurement."""
    return [seconds(row["seconds"]), f"{row['seconds'] / events * 1e9:.0f} ns", f"{row['peak_mb']:,.0f} MB"]


def trace_viewer(found: Results) -> str:
    """The trace viewer beside XProf's and Perfetto's."""
    ours, perfetto, xprof = found["stepscope"], found["perfetto"], found["xprof"]
    rows = [
        [
            "Stepscope, empty cache",
            f"{ours['cold_seconds']:.2f} s",
            f"{ours['server_mb']:.0f} MB server, {ours['browser_mb']:.0f} MB browser",
        ],
        ["Stepscope, again", f"{ours['cached_seconds']:.2f} s", ""],
        [f"Perfetto {perfetto['version']}, in the browser", f"{perfetto['seconds']:.2f} s", f"{perfetto['browser_mb']:.0f} MB browser"],
        [f"XProf {xprof['version']}, its answer alone", f"{xprof['seconds']:.2f} s", f"{xprof['peak_mb']:.0f} MB server"],
    ]
    window, frame = ours["window_ms"], ours["frame_ms"]
    lines = [
        f"The server answers a window of all tracks, at any zoom, in {window['median']:.0f} ms (95% within {window['p95']:.0f} ms).",
        f"While moving and zooming, frames are {frame['median']:.0f} ms apart in Chromium without a GPU (95%: {frame['p95']:.0f} ms).",
    ]
    about = (
        f"An XSpace file of {found['bytes'] / 1e6:.0f} MB and {millions(ours['spans'])} spans, from the address of the viewer to the "
        "first picture. Perfetto gets the same spans as `.pftrace`; the time of Stepscope to read the file is not counted for it."
    )
    return f"## Trace viewer\n\n{about}\n\n{table(['', 'first view', 'peak memory'], rows)}\n\n" + "\n".join(
        f"- {line}" for line in lines
    )


SECTIONS: dict[str, Callable[[Any], str]] = {
    "loading": loading,
    "forms": forms,
    "flipped_bit": flipped,
    "scaling": scaling,
    "memory": memory,
    "mapped": mapped,
    "viewport": viewport,
    "live": live,
    "restart": restart,
    "first_paint": first_paint,
    "open_page": open_page,
    "images": images,
    "histograms": histograms,
    "hparams": hparams,
    "projector": projector,
    "graphs": graphs,
    "writer": writer,
    "capture": capture,
    "profiles": profiles,
    "trace_viewer": trace_viewer,
    "truth": truth.page.section,
}


_READING = ("native", "src/stepscope/formats", "src/stepscope/ingest", "src/stepscope/sources", "src/stepscope/store")
_SERVING = (*_READING, "src/stepscope/dashboards", "src/stepscope/queries", "src/stepscope/server")
_PAGE = (*_SERVING, "web/src")
_PROFILES = ("native", "src/stepscope/analyses", "src/stepscope/formats", "src/stepscope/rules", "src/stepscope/session")
SOURCES: dict[str, tuple[str, ...]] = {
    "loading": (*_READING, "benchmarks/loading.py"),
    "forms": (*_READING, "benchmarks/forms.py", "benchmarks/write_form.py"),
    "flipped_bit": (*_READING, "benchmarks/loading.py"),
    "scaling": (*_READING, "benchmarks/loading.py"),
    "memory": (*_READING, "benchmarks/loading.py", "benchmarks/hold_folder.py"),
    "mapped": (*_READING, "benchmarks/loading.py", "benchmarks/hold_folder.py"),
    "viewport": (*_SERVING, "benchmarks/serving.py"),
    "live": (*_SERVING, "benchmarks/serving.py"),
    "restart": (*_SERVING, "benchmarks/serving.py"),
    "first_paint": (*_PAGE, "benchmarks/first_paint.py"),
    "open_page": (*_PAGE, "benchmarks/open_page.py"),
    "images": (*_SERVING, "benchmarks/images.py"),
    "histograms": (*_PAGE, "benchmarks/histograms.py"),
    "hparams": (*_PAGE, "benchmarks/hparams.py"),
    "projector": (*_PAGE, "src/stepscope/embeddings", "benchmarks/projector.py"),
    "graphs": (*_PAGE, "src/stepscope/analyses/graphs", "src/stepscope/graphs", "benchmarks/graphs.py"),
    "writer": ("native", "src/stepscope/writer", "benchmarks/writer.py", "benchmarks/write_sustained.py"),
    "capture": (
        "native/scalar_queue.cpp",
        "src/stepscope/capture",
        "src/stepscope/writer",
        "benchmarks/capture.py",
        "benchmarks/capture_once.py",
    ),
    "profiles": (*_PROFILES, "benchmarks/profiles.py", "benchmarks/profile_once.py", "benchmarks/xprof_once.py"),
    "trace_viewer": (*_PROFILES, "src/stepscope/dashboards", "src/stepscope/server", "web/src", "benchmarks/trace_viewer.py"),
    "truth": _PROFILES,
}
"""What each section measures: its figures are stale when any of it has changed."""


def stamped(name: str, results: Results) -> str:
    """When, where and on which code a section was measured, and whether that code has changed."""
    stamp = results["stamps"][name]
    machine, versions = stamp["machine"], "".join(f", {each} {version}" for each, version in stamp["libraries"].items())
    fresh = stamp["sources"] == sources_of(SOURCES[name])
    stale = "" if fresh else " **Stale**: the code that it measures has changed since."
    where = f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gb']:.0f} GB, {machine['system']}"
    return f"Measured on {stamp['date']} at commit `{stamp['commit']}`: {where}, Python {machine['python']}{versions}.{stale}"


def page(results: Results) -> str:
    """The whole page, with the sections that were measured."""
    opening = (
        "# Benchmarks\n\n"
        "Made by `make bench` from `benchmarks/results.json`; do not edit. Every ratio is of one run, on one machine, "
        "side by side with the real packages. A figure is marked stale when the code that it measures has changed."
    )
    parts = [f"{make(results[name])}\n\n{stamped(name, results)}" for name, make in SECTIONS.items() if name in results]
    return "\n\n".join([opening, *parts]) + "\n"


def write() -> None:
    """Writes the pages anew."""
    results = json.loads(RESULTS.read_text())
    PAGE.write_text(page(results))
    if "truth" in results:
        truth.page.write()


if __name__ == "__main__":
    write()
