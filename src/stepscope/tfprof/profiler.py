"""The Profiler of tf.profiler: graph and steps in, views, advice and files out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from stepscope.analyses.statistics.advice import all_advice
from stepscope.analyses.statistics.options import ViewOptions
from stepscope.analyses.statistics.text import op_text, tree_text
from stepscope.analyses.statistics.views import ViewRow, code_view, graph_view, op_view, scope_view
from stepscope.model.errors import BadInput
from stepscope.model.node_costs import CostNode, Costs
from stepscope.tfprof.inputs import nodes_of, recorded, serialised
from stepscope.tfprof.option_builder import ProfileOptionBuilder, view_options
from stepscope.tfprof.results import ProfileNode
from stepscope.tfprof.saving import write_costs

_VIEWS: dict[str, Callable[[Costs, ViewOptions], ViewRow]] = {
    "op": op_view,
    "scope": scope_view,
    "graph": graph_view,
    "code": code_view,
}


class Profiler:
    """Collects steps of a graph, and shows what its nodes cost on average.

    `graph` is a graph of TensorFlow, a GraphDef, its bytes, or the path of a file. FLOPs, trainable variables and lines of code
    are known of a live graph, or of a saved profile.
    """

    def __init__(self, graph: Any = None) -> None:  # noqa: ANN401 - objects of TensorFlow, whose types are not known here
        self._costs: dict[str, CostNode] = {} if graph is None else nodes_of(graph)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A profile that was saved by this or by TensorFlow's Profiler."""
        made = cls()
        made._costs = recorded("tfprof", serialised(path))
        return made

    @property
    def steps(self) -> list[int]:
        """The steps that were added."""
        return sorted({step for node in self._costs.values() for step in node.steps})

    def add_step(self, step: int, run_meta: Any) -> None:  # noqa: ANN401 - as above
        """Adds the RunMetadata of a step: the message, its bytes, or the path of a file."""
        if step < 0:
            raise BadInput("The number of a step must not be negative.", "bad_step")
        found = recorded("run_metadata", serialised(run_meta))
        if not found:
            raise BadInput("The run metadata has no events; run the session with trace_level=FULL_TRACE.", "no_events")
        for name, ran in found.items():
            node = self._costs.setdefault(name, CostNode(name, name))
            node.device = node.device or ran.device
            node.steps[step] = ran.steps[0]

    def profile_operations(self, options: Mapping[str, Any]) -> ProfileNode:
        """Costs by type of operation."""
        return self._view("op", options)

    def profile_name_scope(self, options: Mapping[str, Any]) -> ProfileNode:
        """Costs by name scope."""
        return self._view("scope", options)

    def profile_graph(self, options: Mapping[str, Any]) -> ProfileNode:
        """Costs by data flow: below a node is what it reads."""
        return self._view("graph", options)

    def profile_python(self, options: Mapping[str, Any]) -> ProfileNode:
        """Costs by the line of Python that made a node."""
        return self._view("code", options)

    def advise(self, options: Mapping[str, Any] | None = None) -> dict[str, list[str]]:
        """What is expensive, by checker; `options` names the checkers to run, all of them by default."""
        found = all_advice(self._costs)
        unknown = (options or {}).keys() - found.keys()
        if unknown:
            raise BadInput(f"There is no checker {min(unknown)!r}; there are {', '.join(found)}.", "bad_checker")
        return {name: reports for name, reports in found.items() if not options or name in options}

    def serialize_to_string(self) -> bytes:
        """A ProfileProto, which TensorFlow, `Profiler.load` and `stepscope profile` open."""
        return write_costs(self._costs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the ProfileProto to a file."""
        Path(path).write_bytes(self.serialize_to_string())

    def _view(self, view: str, options: Mapping[str, Any]) -> ProfileNode:
        wanted = view_options(options)
        if wanted.step is not None and wanted.step not in self.steps:
            listed = ", ".join(map(str, self.steps)) or "none"
            raise BadInput(f"Step {wanted.step} was not added; there are {listed}.", "no_step")
        if view == "code" and not any(node.stack for node in self._costs.values()):
            raise BadInput("The nodes have no lines of code; give the Profiler the live graph of TensorFlow.", "no_code")
        root = _VIEWS[view](self._costs, wanted)
        self._put_out(view, root, {**ProfileOptionBuilder().build(), **options}, wanted)
        return ProfileNode(root)

    def _put_out(self, view: str, root: ViewRow, options: Mapping[str, Any], wanted: ViewOptions) -> None:
        kind, _, target = str(options["output"]).partition(":outfile=")
        if kind == "none":
            return
        if kind == "timeline" and target:
            Path(target).write_text(json.dumps(self._timeline(wanted.step)))
            return
        select = options["select"]
        text = "Profile:\n" + (op_text(root, select) if view == "op" else tree_text(root, select, of_lines=view == "code"))
        if kind == "stdout":
            print(text, end="")
        elif kind == "file" and target:
            Path(target).write_text(text)
        else:
            raise BadInput(
                f"Output {options['output']!r} is unknown; use stdout, none, file:outfile=PATH or timeline:outfile=PATH.", "bad_output"
            )

    def _timeline(self, step: int | None) -> dict[str, Any]:
        """Executions of a step, of the last one by default, as a trace of Chrome."""
        chosen = max(self.steps, default=0) if step is None else step
        found = [(node, one) for node in self._costs.values() if chosen in node.steps for one in node.steps[chosen].executions]
        devices = {device: place for place, device in enumerate(sorted({one.device for _, one in found}))}
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": place, "args": {"name": device}} for device, place in devices.items()
        ]
        free: dict[int, list[float]] = {}
        for node, one in sorted(found, key=lambda pair: pair[1].start):
            lanes = free.setdefault(devices[one.device], [])
            lane = next((place for place, end in enumerate(lanes) if end <= one.start), len(lanes))
            lanes[lane : lane + 1] = [one.start + one.us]
            events.append(
                {
                    "ph": "X",
                    "cat": "Op",
                    "name": node.name,
                    "pid": devices[one.device],
                    "tid": lane,
                    "ts": one.start,
                    "dur": one.us,
                    "args": {"name": node.name, "op": node.op},
                }
            )
        return {"traceEvents": events}


def profile(graph: Any, run_meta: Any = None, cmd: str = "scope", options: Mapping[str, Any] | None = None) -> ProfileNode:  # noqa: ANN401
    """One view of a graph and, where given, one step of it; `cmd` is `op`, `scope`, `graph` or `code`."""
    if cmd not in _VIEWS:
        raise BadInput(f"There is no view {cmd!r}; there are {', '.join(_VIEWS)}.", "bad_view")
    made = Profiler(graph)
    if run_meta is not None:
        made.add_step(0, run_meta)
    return made._view(cmd, options or ProfileOptionBuilder().build())  # pyright: ignore[reportPrivateUsage]


def advise(graph: Any, run_meta: Any, options: Mapping[str, Any] | None = None) -> dict[str, list[str]]:  # noqa: ANN401
    """What is expensive in one step of a graph."""
    made = Profiler(graph)
    made.add_step(0, run_meta)
    return made.advise(options)
