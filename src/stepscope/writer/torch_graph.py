"""The graph of a torch model: traced by torch, and named by module paths as torch's own writer names it.

The model is left as it was: modes of every module, random numbers, and the buffers that a pass through it changes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from stepscope.writer.graph import GraphNode, graph_work, run_metadata_work, shapes_attribute, text_attribute
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment

_READS_ATTRIBUTE = "prim::GetAttr"
_IS_MODULE = "ClassType"
_TOP = "__module"


class _Operation(NamedTuple):
    kind: str
    inputs: list[str]
    outputs: list[tuple[str, list[int] | None]]
    attributes: str
    scope: str


def torch_graph_works(model: object, inputs: object, verbose: bool, strict: bool, moment: Moment) -> list[Deferred]:
    """The events that torch writes for the same model: its graph, and on which device it ran."""
    nodes = _traced_nodes(model, inputs, verbose, strict)
    device = Message("DeviceStepStats").text("device", "/device:CPU:0")
    metadata = Message("RunMetadata").message("step_stats", Message("StepStats").message("dev_stats", device))
    return [graph_work(nodes, moment), run_metadata_work("step1", metadata.encoded(), moment)]


def _traced_nodes(model: Any, inputs: object, verbose: bool, strict: bool) -> list[GraphNode]:  # noqa: ANN401 (torch is not imported)
    torch: Any = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        raise TypeError(f"Give a torch module to trace, not {type(model).__name__}.")
    if inputs is None:
        raise TypeError("Give input_to_model: the graph is what the model does with an input.")
    with _undisturbed(torch, model):
        try:
            # Without torch's check: it runs the model twice more, and refuses one that draws random numbers.
            trace = torch.jit.trace(model, inputs, strict=strict, check_trace=False)
        except Exception as error:
            first = str(error).strip().partition("\n")[0].rstrip(".")
            raise RuntimeError(f"torch cannot trace {type(model).__name__} with this input, so there is no graph ({first}).") from error
    graph = trace.graph
    torch._C._jit_pass_inline(graph)
    if verbose:
        sys.stdout.write(f"{graph}\n")
    return _named(graph, _operations(graph, _scope_names(trace)))


@contextmanager
def _undisturbed(torch: Any, model: Any) -> Generator[None]:  # noqa: ANN401 (torch is not imported)
    """Puts the model into evaluation mode, as torch does, and all that a pass may change back where it was."""
    modules = list(model.modules())
    modes = [module.training for module in modules]
    buffers = [(buffer, buffer._version, buffer.detach().clone()) for buffer in model.buffers() if not buffer.is_inference()]
    restore_random = [_kept(torch.get_rng_state, torch.set_rng_state), _kept(random.getstate, random.setstate)]
    if torch.cuda.is_initialized():
        restore_random.append(_kept(torch.cuda.get_rng_state_all, torch.cuda.set_rng_state_all))
    was_training = model.training
    model.train(False)
    try:
        yield
    finally:
        model.train(was_training)
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode
        with torch.no_grad():
            for buffer, version, before in buffers:
                if buffer._version != version:
                    buffer.copy_(before)
        for restore in restore_random:
            restore()


def _kept(get: Callable[[], Any], put: Callable[[Any], object]) -> Callable[[], object]:
    """What puts a state back to what it is now."""
    state = get()
    return lambda: put(state)


def _scope_names(trace: Any) -> Callable[[str], str]:  # noqa: ANN401 (torch is not imported)
    """Makes the path that a node gets, like Net/Linear[fc], of the tracer's own, like __module.fc."""
    top = _type_name(trace)
    of_alias = {alias: f"{_type_name(module)}[{alias.rpartition('.')[2]}]" for alias, module in trace.named_modules(prefix=_TOP)}

    def name(scope: str) -> str:
        parts = [of_alias.get(alias) or alias.rpartition(".")[2] for alias in scope.split("/")]
        return "/".join([top, *parts]) if any(parts) else top

    return name


def _type_name(module: Any) -> str:  # noqa: ANN401 (torch is not imported)
    """Of the class that was traced."""
    return getattr(module, "original_name", "Module")


def _operations(graph: Any, scope_name: Callable[[str], str]) -> list[_Operation]:  # noqa: ANN401 (torch is not imported)
    """All that is done, but not the reading of submodules, which is what scopes are there for."""
    found: list[_Operation] = []
    paths: dict[str, str] = {}
    for node in graph.nodes():
        scope = node.scopeName()
        if node.kind() == _READS_ATTRIBUTE:
            output, owner = node.output(), node.input().node()
            parent = paths[owner.output().debugName()] if owner.kind() == _READS_ATTRIBUTE else ""
            scope = f"{parent}/{parent.rpartition('/')[2]}.{node.s('name')}" if parent else f"{_TOP}.{node.s('name')}"
            paths[output.debugName()] = scope
            if output.type().kind() == _IS_MODULE:
                continue
        outputs = [(value.debugName(), value.type().sizes() if value.isCompleteTensor() else None) for value in node.outputs()]
        inputs = [value.debugName() for value in node.inputs()]
        found.append(_Operation(node.kind(), inputs, outputs, _attributes(node), scope_name(scope)))
    return found


def _attributes(node: Any) -> str:  # noqa: ANN401 (torch is not imported)
    """As torch shows them; it has no quotes in them because TensorBoard stumbles over those."""
    return str({key: getattr(node, node.kindOf(key))(key) for key in node.attributeNames()}).replace("'", " ")


def _named(graph: Any, operations: list[_Operation]) -> list[GraphNode]:  # noqa: ANN401 (torch is not imported)
    """Inputs, outputs and operations, each with its path; what is only read has that of its last reader."""
    names = {value: f"{each.scope}/{value}" for each in operations for value in each.inputs}
    nodes: dict[str, tuple[str, list[str], list[int] | None, str]] = {}
    for value in graph.inputs():
        if value.uses() and value.type().kind() != _IS_MODULE:
            names[value.debugName()] = f"input/{value.debugName()}"
            nodes[value.debugName()] = ("IO Node", [], _sizes(value), "")
    for number, value in enumerate(graph.outputs(), start=1):
        names[f"output.{number}"] = f"output/output.{number}"
        nodes[f"output.{number}"] = ("IO Node", [value.debugName()], _sizes(value), "")
    for each in operations:
        for value, sizes in each.outputs:
            names[value] = f"{each.scope}/{value}"
            nodes[value] = (each.kind, each.inputs, sizes, each.attributes)
    return [
        GraphNode(
            names[value],
            kind,
            [names.get(name, name) for name in inputs],
            {"attr": text_attribute(attributes)} | ({} if sizes is None else {"_output_shapes": shapes_attribute([sizes])}),
        )
        for value, (kind, inputs, sizes, attributes) in nodes.items()
    ]


def _sizes(value: Any) -> list[int] | None:  # noqa: ANN401 (torch is not imported)
    """A tuple of tensors has no sizes; torch then writes 1."""
    try:
        return value.type().sizes()
    except RuntimeError:
        return [1]
