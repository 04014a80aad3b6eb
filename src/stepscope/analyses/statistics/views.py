"""The four views of tf.profiler over costs of nodes: by operation, name scope, data flow and Python call.

A view is a tree of rows. It is counted from the leaves up, then rows that the options hide give their place to those below them.
Nothing here is recursive: a chain of a million nodes is a tree as deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from stepscope.analyses.statistics.options import ORDERS, ViewOptions
from stepscope.model.node_costs import ROOT, CostNode, Costs, Frame, Measures

_LONGEST_FUNCTION = 20
_GRADIENT = " (gradient)"
_NOTHING = Measures()


@dataclass(slots=True)
class ViewRow:
    """One row: what it counts itself, and together with what is below it."""

    name: str
    own: Measures = _NOTHING
    total: Measures = _NOTHING
    counted: bool = True
    """Whether it counts anything itself; a scope without a node of its name does in tf.profiler too."""
    children: list[ViewRow] = field(default_factory=list["ViewRow"])
    nodes: list[CostNode] = field(default_factory=list[CostNode])

    def rows(self) -> Iterator[tuple[int, ViewRow]]:
        """All rows below it with their depth, each before those below it."""
        left = [(0, row) for row in reversed(self.children)]
        while left:
            depth, row = left.pop()
            yield depth, row
            left.extend((depth + 1, below) for below in reversed(row.children))


def scope_view(costs: Costs, options: ViewOptions) -> ViewRow:
    """By name scope: a node is below the node or scope that its name begins with."""
    rows: dict[str, ViewRow] = {}
    for name in sorted(costs):
        rows[name] = _row(name, [costs[name]], options)
    for name in sorted(costs):
        parent = name.rpartition("/")[0]
        while parent and parent not in rows:
            rows[parent] = ViewRow(parent, counted=options.counts({"_kTFScopeParent"}))
            parent = parent.rpartition("/")[0]
    root = ViewRow(ROOT, counted=False)
    for name in sorted(rows):
        parent = name.rpartition("/")[0]
        (rows[parent] if parent else root).children.append(rows[name])
    return _shown(_counted(root, keeps_scopes=True), options, of_lines=False)


def graph_view(costs: Costs, options: ViewOptions) -> ViewRow:
    """By data flow: a node is below the first node that reads it."""
    rows = {name: _row(name, [costs[name]], options) for name in sorted(costs)}
    read = {each for node in costs.values() for each in node.inputs}
    root = ViewRow(ROOT, counted=False)
    seen: set[str] = set()

    def unseen(names: Iterable[str]) -> Iterator[str]:
        return (name for name in names if name in rows and name not in seen)

    roots = [name for name in rows if name not in read]
    left: list[tuple[ViewRow, Iterator[str]]] = [(root, unseen(roots))]
    while left:
        parent, names = left[-1]
        name = next(names, None)
        if name is None:
            left.pop()
            continue
        seen.add(name)
        parent.children.append(rows[name])
        left.append((rows[name], unseen(costs[name].inputs)))
    return _shown(_counted(root, keeps_scopes=False), options, of_lines=False)


def code_view(costs: Costs, options: ViewOptions) -> ViewRow:
    """By Python call: a gradient belongs to the call that made its forward node."""
    root = ViewRow(ROOT, counted=False)
    places: dict[tuple[int, str], ViewRow] = {}
    for name, forward in sorted(
        ((name, _forward_name(name)) for name in costs), key=lambda one: (one[1] is not None, one[1] or one[0])
    ):
        node = costs[name]
        stack = node.stack if forward is None else costs[forward].stack if forward in costs and node.stack else ()
        if not stack:
            continue
        row = root
        for frame in stack:
            text = frame_text(frame) + (_GRADIENT if forward is not None else "")
            below = places.get((id(row), text))
            if below is None:
                below = places[id(row), text] = ViewRow(text)
                row.children.append(below)
            row = below
        row.nodes.append(node)
    for _, row in root.rows():
        found = _row(row.name, row.nodes, options)
        row.own, row.counted, row.nodes = found.own, found.counted, found.nodes
    # A hidden line still calls what is below it, so totals always count everything.
    return _shown(_counted(root, keeps_scopes=True), replace(options, displayed_only=False), of_lines=True)


def op_view(costs: Costs, options: ViewOptions) -> ViewRow:
    """By type of operation: a list, in which the total of a row is that of itself and all rows after it."""
    by_op: dict[str, list[CostNode]] = {}
    for name in sorted(costs):
        by_op.setdefault(costs[name].op, []).append(costs[name])
    rows = [_row(op, by_op[op], options) for op in sorted(by_op)]
    for row in rows:
        row.total = row.own
    counted = _summed_up([row for row in _sorted(rows, options) if row.counted])
    root = ViewRow(ROOT, total=counted[0].total if counted else _NOTHING, counted=False)
    start = next((place for place, row in enumerate(counted) if options.fits(options.start, row.name)), len(counted))
    for depth, row in enumerate(counted[start:]):
        if depth > options.max_depth or options.is_trimmed(row.name):
            break
        if options.is_named(row.name) and options.is_enough(row.own, row.total, one_node=False):
            root.children.append(row)
    if options.displayed_only:
        for row in root.children:
            row.total = row.own
        _summed_up(root.children)
        root.total = root.children[0].total if root.children else _NOTHING
    return root


def frame_text(frame: Frame) -> str:
    """A call as `train.py:12:step`, with long names of functions cut."""
    short = frame.function if len(frame.function) < _LONGEST_FUNCTION else frame.function[:17] + "..."
    place = f"{frame.file.replace(chr(92), '/').rpartition('/')[2]}:{frame.line}"
    return f"{place}:{short}" if short else place


def _forward_name(name: str) -> str | None:
    """The node that a gradient was made for, by how TensorFlow names gradients; None for another node."""
    first, last = name.find("gradients/"), name.find("_grad/")
    start = first + len("gradients/")
    return name[start:last] if first >= 0 and last > start else None


def _row(name: str, nodes: Sequence[CostNode], options: ViewOptions) -> ViewRow:
    chosen = [node for node in nodes if options.counts(node.all_types())]
    own = _NOTHING
    for node in chosen:
        own += node.measures(options.step)
    return ViewRow(name, own, counted=bool(chosen) or options.types == (".*",), nodes=chosen)


def _counted(root: ViewRow, *, keeps_scopes: bool) -> ViewRow:
    """Fills in totals. What is not counted is left out, or stays for what is below it where `keeps_scopes`."""
    for row in _leaves_first(root):
        below: list[ViewRow] = []
        for child in row.children:
            if child.counted or (keeps_scopes and child.children):
                below.append(child)
            else:
                below.extend(child.children)
        row.children = below
        row.total = _sum(row.own, below)
    return root


def _shown(root: ViewRow, options: ViewOptions, *, of_lines: bool) -> ViewRow:
    """The rows that the options show, sorted. Rows `of_lines` have many nodes each, and a trimmed one is hidden itself."""
    if options.start != (".*",):
        root.children = _starting(root.children, options)
    depths = {id(root): 1}
    for depth, row in root.rows():
        depths[id(row)] = depth + 2

    def is_shown(row: ViewRow) -> bool:
        if depths[id(row)] > options.max_depth or (of_lines and options.is_trimmed(row.name)):
            return False
        return options.is_named(row.name) and options.is_enough(row.own, row.total, one_node=not of_lines)

    shown = {id(row): is_shown(row) for _, row in root.rows()}
    for row in _leaves_first(root):
        below: list[ViewRow] = []
        if depths[id(row)] <= options.max_depth and not options.is_trimmed(row.name):
            for child in row.children:
                below.extend([child] if shown[id(child)] else child.children)
        row.children = below
        if row is root or shown[id(row)]:
            if options.displayed_only:
                row.total = _sum(row.own, below)
            row.children = _sorted(below, options)
    return root


def _starting(rows: Sequence[ViewRow], options: ViewOptions) -> list[ViewRow]:
    """The first rows on each way down that fit the start."""
    found: list[ViewRow] = []
    left = list(reversed(rows))
    while left:
        row = left.pop()
        if options.fits(options.start, row.name):
            found.append(row)
        else:
            left.extend(reversed(row.children))
    return found


def _sorted(rows: Iterable[ViewRow], options: ViewOptions) -> list[ViewRow]:
    measure = ORDERS[options.order_by]
    if not measure:
        return sorted(rows, key=lambda row: row.name)
    return sorted(rows, key=lambda row: -float(getattr(row.total, measure)))


def _summed_up(rows: list[ViewRow]) -> list[ViewRow]:
    after = _NOTHING
    for row in reversed(rows):
        row.total = after = row.total + after
    return rows


def _sum(own: Measures, rows: Iterable[ViewRow]) -> Measures:
    total = own
    for row in rows:
        total += row.total
    return total


def _leaves_first(root: ViewRow) -> Iterator[ViewRow]:
    order = [row for _, row in root.rows()]
    yield from reversed(order)
    yield root
