"""Which tests a change makes due: those that reach a changed file over imports and names of files, nearest first.

The graph is read from the sources without running them: import statements, names of modules in strings (so the lists of extensions and
`python -m` count too), and names of files. What passed is kept beside the digests of all files; a change takes away what it may
have broken, and `make check` runs what is missing. So what one check has no time for, the next one does.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import samples
import unchanged

ROOTS = ("src/", "tests/", "tools/", "benchmarks/")
"""Folders that modules are imported from, as `stepscope.model`, `log_folder`, `steps` and `wild.cases`."""
TEXTS = ("docs", "native", "web", ".ci", "requirements")
"""Folders that tests read as files: whoever names one depends on all of it."""
READS_ALL = ("tests/architecture/", "tests/docs/")
"""Where tests look at all files of the clone, so that every change makes them due."""
EVERYBODY = {"pyproject.toml", "requirements/dev.txt", "tests/conftest.py", "tests/processor_time.py", "tests/skipped_tests.py"}
"""What may change how every test ends."""
BY_THE_PAGE = (".svelte", ".ts", ".css", ".html", ".svg")
"""Files that the page's own steps check; few tests of Python read them."""
CHECKED_ELSEWHERE = (".py", ".md", *BY_THE_PAGE)
"""What no test has to reach. Any other file that none reaches makes all of them due."""
FAR = 99
"""Imports between a change that concerns everybody and a test."""
NATIVE = "src/stepscope/_native.pyi"
DOOR = "src/stepscope/__init__.py"
_LAZY = re.compile(r'"(\w+)": \("(stepscope[\w.]*)"')
_IN_TEXT = re.compile(r"^\s*(?:from|import) (stepscope[\w.]*)", re.MULTILINE)
_FILE = re.compile(r"[\w./-]{2,80}")


@dataclass(frozen=True, slots=True)
class Mentions:
    """What one Python file says of others, as written."""

    modules: list[str] = field(default_factory=list[str])
    """Names that it imports, or may: `a.b` and `a.b.c` for `from a.b import c`."""

    patterns: list[str] = field(default_factory=list[str])
    """Regular expressions of names of modules in its strings."""

    files: list[str] = field(default_factory=list[str])
    """Strings that may be names of files or folders."""

    arguments: list[str] = field(default_factory=list[str])
    """Of its functions: in a file of tests, the fixtures that it uses."""

    of_fixtures: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For a conftest: what only the tests that use a fixture import; else all would depend on all."""


def _imports(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1] if node.level else []
    place = ".".join([*above, *([node.module] if node.module else [])])
    return [place, *(f"{place}.{alias.name}" for alias in node.names)]


def _walk(tree: ast.AST) -> Iterable[ast.AST]:
    """Every node but those that only type checkers see."""
    queue = deque([tree])
    while queue:
        node = queue.popleft()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            queue.extend(node.orelse)
        else:
            queue.extend(ast.iter_child_nodes(node))


def _pattern(text: ast.JoinedStr) -> str:
    parts = (part.value if isinstance(part, ast.Constant) else None for part in text.values)
    return "".join(re.escape(part) if isinstance(part, str) else r"\w+" for part in parts)


def mentions(tree: ast.AST, package: str) -> Mentions:
    """Reads one Python file, or one function of it."""
    modules, patterns, texts, arguments = set[str](), set[str](), set[str](), set[str]()
    for node in _walk(tree):
        modules.update(_imports(node, package))
        if isinstance(node, ast.JoinedStr):
            patterns.add(_pattern(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            modules.update(_IN_TEXT.findall(node.value))
            texts.add(node.value)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "stepscope":
            modules.add(f"stepscope.{node.attr}")
        elif isinstance(node, ast.arg):
            arguments.add(node.arg)
    modules |= {text.partition(":")[0] for text in texts if text.startswith("stepscope.")}
    if {"-m", "stepscope"} <= texts:
        modules.add("stepscope.__main__")
    files = {text for text in texts if text in TEXTS or (("." in text or "/" in text) and _FILE.fullmatch(text))}
    return Mentions(
        sorted(modules), sorted(each for each in patterns if each.startswith("stepscope")), sorted(files), sorted(arguments)
    )


def read_mentions(path: str, source: bytes) -> Mentions:
    """Reads one Python file; the fixtures of a conftest stand apart."""
    tree, package = ast.parse(source), _package(path)
    if not path.endswith("/conftest.py"):
        return mentions(tree, package)
    fixtures = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    tree.body = [node for node in tree.body if node not in fixtures]
    return Mentions(
        **{**asdict(mentions(tree, package)), "of_fixtures": {each.name: mentions(each, package).modules for each in fixtures}}
    )


class Graph:
    """The files of a clone, and which of them depend on each."""

    def __init__(self, contents: Mapping[str, bytes], mentioned: Mapping[str, Mentions]) -> None:
        self.files = contents.keys()
        self._mentioned = mentioned
        self._module = {_module(path): path for path in mentioned}
        lazy = _LAZY.findall(contents.get(DOOR, b"").decode())
        self._module |= {f"stepscope.{name}": self._module[home] for name, home in lazy}
        self._beside = defaultdict[str, list[str]](list)
        for path in self.files:
            self._beside[path.rpartition("/")[0]].append(path)
        self.tests = [path for path in mentioned if path.startswith(("tests/", "src/")) and path.rpartition("/")[2].startswith("test_")]
        self._users = defaultdict[str, set[str]](set)
        for path in mentioned:
            for each in self._edges_of(path) if path != DOOR else ():  # What the door loads depends on the name that is asked for.
                self._users[each].add(path)
        for path in self.files:
            if path.startswith("native/") or path == "CMakeLists.txt":
                self._users[path].add(NATIVE)

    def _resolved(self, names: Iterable[str], patterns: Iterable[str] = ()) -> set[str]:
        found = {self._module[name] for name in names if name in self._module}
        return found | {path for pattern in patterns for name, path in self._module.items() if re.fullmatch(pattern, name)}

    def _edges_of(self, path: str) -> set[str]:
        said, folder, in_tests = self._mentioned[path], path.rpartition("/")[0], path.startswith("tests/")
        found = self._resolved(said.modules, said.patterns)
        for text in said.files:
            if in_tests and text.partition("/")[0] in TEXTS:
                found |= {each for each in self.files if each == text or each.startswith(f"{text}/")}
            elif (beside := f"{folder}/{text}") in self.files or (beside := text) in self.files:
                found.add(beside)
        # Data lies beside the module that reads it.
        found |= {each for each in self._beside[folder] if not each.endswith((".py", ".pyi", *BY_THE_PAGE))}
        return (found | self._conftests(path) if in_tests else found) - {path}

    def _conftests(self, path: str) -> set[str]:
        found, folder = set[str](), path.rpartition("/")[0]
        while folder:
            if (conftest := f"{folder}/conftest.py") in self._mentioned and conftest != path:
                fixtures = self._mentioned[conftest].of_fixtures
                used = [name for argument in self._mentioned[path].arguments for name in fixtures.get(argument, ())]
                found |= {conftest, *self._resolved(used)}
            folder = folder.rpartition("/")[0]
        return found

    def reached_from(self, changed: Iterable[str]) -> dict[str, int]:
        """Every file of tests that a change concerns, with the imports between them."""
        hops = dict.fromkeys(changed, 0)
        concerns_all = [path for path in hops if path in EVERYBODY or not (self._users[path] or path.endswith(CHECKED_ELSEWHERE))]
        for package in [path for path in hops if path.endswith("/__init__.py")]:
            # It runs on the way to each of its modules; what else it may load does not.
            inside = [path for path in self._mentioned if path.startswith(package.removesuffix("__init__.py"))]
            hops |= dict.fromkeys(set(inside) - hops.keys(), 1)
        queue = deque(sorted(hops, key=lambda path: hops[path]))
        while queue:
            path = queue.popleft()
            for user in self._users[path] - hops.keys():
                hops[user] = hops[path] + 1
                queue.append(user)
        near = {test for test in self.tests for path in changed if _named_for(test, path)}
        found = {test: 0 if test in near else hops[test] for test in self.tests if test in hops or test in near}
        if hops:
            found |= {test: FAR for test in self.tests if test not in found and (concerns_all or test.startswith(READS_ALL))}
        return found


def _module(path: str) -> str:
    return path.rpartition(".")[0].partition("/")[2].replace("/", ".").removesuffix(".__init__")


def _package(path: str) -> str:
    return _module(path) if path.endswith("/__init__.py") else _module(path).rpartition(".")[0]


def _named_for(test: str, changed: str) -> bool:
    """Whether a file of tests is called after a changed file, or lies in the folder of its first word, as formats/kineto does."""
    stem = changed.rpartition("/")[2].partition(".")[0]
    return test.endswith(f"/test_{stem}.py") or (changed.startswith("native/") and f"/{stem.partition('_')[0]}/" in test)


def made_due(contents: Mapping[str, bytes], kept: dict[str, Any], around: str = "") -> dict[str, Any]:
    """What was kept, without what changes since then may have broken; `around` is what else decides how tests end."""
    digests = {path: hashlib.blake2b(content, digest_size=12).hexdigest() for path, content in contents.items()}
    before: dict[str, str] = kept.get("digests", {})
    changed = {path for path in digests.keys() | before.keys() if digests.get(path) != before.get(path)}
    told = {"digests": digests, "around": around, "mentions": kept.get("mentions", {}), "passed": {}, "hops": {}}
    if kept.get("around") == around:
        told |= {"passed": kept["passed"], "hops": kept["hops"]}
    if not changed:
        return told
    known: dict[str, Any] = told["mentions"]
    python = [path for path in contents if path.endswith((".py", ".pyi")) and path.startswith(ROOTS)]
    told["mentions"] = {
        path: known[path] if path in known and path not in changed else asdict(read_mentions(path, contents[path])) for path in python
    }
    graph = Graph(contents, {path: Mentions(**said) for path, said in told["mentions"].items()})
    # Nothing imports a file that is gone, and whatever did has changed.
    due = graph.reached_from(changed & digests.keys())
    passed, hops = told["passed"], told["hops"]
    told["passed"] = {test: passed[test] for test in graph.tests if test in passed and test not in due}
    told["hops"] = {
        test: min(due.get(test, FAR), hops.get(test, FAR)) for test in graph.tests if not told["passed"].get(test, {}).get("whole")
    }
    return told


def contents() -> dict[str, bytes]:
    """Every file of the clone; none where git cannot list them, so that everything is due each time."""
    return {path.relative_to(unchanged.ROOT).as_posix(): path.read_bytes() for path in unchanged.sources(("",)) or []}


def plan(into: Path) -> None:
    """Brings the plan up to date for the plugin of pytest (tests/only_due.py), which notes in it what passed."""
    found = contents()
    kept = json.loads(into.read_text(encoding="utf-8")) if found and into.is_file() else {}
    told = made_due(found, kept, f"{sys.version} {samples.folder()}")
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(json.dumps(told), encoding="utf-8")
