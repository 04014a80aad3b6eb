"""A good question to every route of a server that has something of everything, and what a seed makes of it."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import numpy as np
from starlette.testclient import TestClient

from cli.torch_traces import recording
from graph_bytes import graph_def
from log_folder import LogFolder, decay
from stepscope import SummaryWriter
from stepscope.dashboards.context import Project
from stepscope.dashboards.route import Route
from stepscope.ingest.loader import Root
from stepscope.projector import write_embedding
from stepscope.server.app import API, Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

LISTED = "127.0.0.1:1"
"""A process that may be captured, at a port where none can be."""
LONGEST_URL = 30_000
"""Longer ones are the business of the connection (tests/server/test_connections.py)."""
SECRET = b"what no answer may contain"
GRAPH = ["x: Placeholder", "a/w: Const", "a/mul: MatMul x a/w", "b: Relu a/mul"]
TAGS = {
    "images": "picture",
    "audio": "sound",
    "text": "words/text_summary",
    "histograms": "weights",
    "pr_curves": "curve",
    "mesh": "mesh",
}
"""The tag that a dashboard shows; the others show `loss`."""

ODD: tuple[Any, ...] = (
    *(0, -1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 0.5, 1e308, -1e308, float("nan"), float("inf"), -float("inf")),
    *("", " ", "\0", "\ud800", "²", "😀", "nan", "1e999", "0x10", "null", "a" * 70_000, "(a+)+$", "((((", "[", "%00", "\\"),
    *("../secret", "../../secret", "/etc/passwd", "file/../../secret", "..\\secret", "%2e%2e%2fsecret", "file:///etc/passwd"),
    *(None, True, [], {}, [[]], [None], [0] * 3_000, {"a": {}}, [["x"] * 50] * 50),
)  # fmt: skip
"""Values that fit few fields; some fit, and are answered."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request, without the address of the server."""

    method: str
    url: str
    body: bytes | None = None
    kind: str = "application/json"


class AskedServer:
    """A server on a folder with curves, media, an embedding, a graph and two profiles, beside a file that is none of its business."""

    def __init__(self, path: Path) -> None:
        self.logs, self.secret = path / "logs", path / "secret"
        self.secret.write_bytes(SECRET)
        self.logs.mkdir()
        folder = LogFolder(self.logs)
        _write(folder)
        folder.load()
        project = Project(
            Reads(folder.library), folder.loader, UserState(path / "data"), (Root("", str(self.logs)),), capture_from=(LISTED,)
        )
        self.client = TestClient(Application(project).asgi, base_url="http://localhost", raise_server_exceptions=False)
        runs = {row["name"]: row["id"] for row in self.client.get(f"{API}/runs").json()["runs"]}
        self.run, self.other = runs["train"], runs["other"]
        sessions = self.client.get(f"{API}/profile/sessions").json()["sessions"]
        self.session, self.before = (next(row["id"] for row in sessions if row["run_name"] == run) for run in ("train", "other"))

    def ask(self, question: Question) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        headers = {} if question.body is None else {"content-type": question.kind}
        got = self.client.request(question.method, f"http://localhost{API}{question.url}", content=question.body, headers=headers)
        return got.status_code, got.content

    def good(self, route: Route) -> Question:
        """A question that the route answers."""
        return self.question(route, self.fields(route), self.places(route))

    def question(self, route: Route, fields: dict[str, Any], places: dict[str, str]) -> Question:
        """The request with these fields, in the query of a GET and in the body otherwise."""
        url = route.path
        for name, value in places.items():
            url = url.replace(f"{{{name}}}", quote(value, safe="", errors="surrogatepass")[:LONGEST_URL])
        if route.method != "GET":
            return Question(route.method, url, json.dumps(fields).encode())
        given = [(name, text) for name, value in fields.items() for text in (value if isinstance(value, list) else [value])]
        texts = [(name, ("true" if value else "false") if isinstance(value, bool) else str(value)) for name, value in given]
        return Question("GET", f"{url}?{urlencode(texts, errors='surrogatepass')}"[:LONGEST_URL])

    def places(self, route: Route) -> dict[str, str]:
        """What stands for the names in the route's path."""
        known = {"session": self.session, "id": self.run if route.path.startswith("/runs/") else "0" * 16}
        return {name: value for name, value in known.items() if f"{{{name}}}" in route.path}

    def fields(self, route: Route) -> dict[str, Any]:
        """Values of the fields that the request must have, and of those that make it a question about something."""
        _, first, *_ = route.path.split("/")
        series = {"run": self.run, "tag": TAGS.get(first, "loss")}
        known: dict[str, Any] = {
            **series, "step": 0, "at": 0, "series": [series], "curves": [{**series, "step": 0}], "runs": [self.run], "words": "x",
            "groups": [{"name": "g", "runs": [self.run, self.other]}], "columns": 100, "name": "e", "column": "kind",
            "source": "file/graph.pb", "path": "a/mul", "against_run": self.other, "against_source": "file/graph.pb", "start_us": 0,
            "end_us": 4_000, "tracks": "0,1", "workers": "train", "changes": "kernels=0.5", "row": 0, "like": 0, "of": "span",
            "against": self.before, "sessions": f"{self.session},{self.before}", "format": "csv", "op": "mm", "upload": "",
            "data": base64.b64encode(graph_def(GRAPH) if first == "graphs" else b"1\t2\n3\t4\n5\t6\n").decode(), "folders": ["0" * 16],
            "last": True, "label": "kind", "text": "mm", "limit": 10, "unit": "GiB", "categories": [], "metric": {"tag": "loss"},
            "tags": ["loss"], "sql": "SELECT count(*) FROM points",
        }  # fmt: skip
        if first == "trash":
            known["runs"] = []
        declared = {field.encode_name: field for field in msgspec.structs.fields(route.request)}
        wanted = {name for name, field in declared.items() if field.required} | (_TELLING & declared.keys())
        return {name: known[name] for name in declared if name in wanted and name in known}

    def absurd(self, route: Route, seed: int) -> Question:
        """The good question with something wrong in it; the same seed gives the same one."""
        chance = random.Random(f"{route.method} {route.path} {seed}")  # reproducible, not secret
        fields, places = self.fields(route), self.places(route)
        match chance.randrange(8):
            case 0 if places:
                places[chance.choice([*places])] = str(chance.choice(ODD))
            case 1:
                fields[chance.choice(["__class__", "fields", "run", "limit"])] = chance.choice(ODD)
            case 2 if fields:
                fields = _changed_inside(fields, chance)
            case 3:
                return _damaged(self.question(route, fields, places), chance)
            case _:
                names = [field.encode_name for field in msgspec.structs.fields(route.request)] or ["x"]
                for _ in range(chance.randint(1, 2)):
                    fields[chance.choice(names)] = chance.choice(ODD)
        return self.question(route, fields, places)


_TELLING = frozenset({"tracks", "runs", "column", "label", "start_us", "end_us"})
"""Fields that may be left out, and tell what is asked about."""


def _write(folder: LogFolder) -> None:
    """One of everything that has a tab."""
    for run in ("train", "other"):
        folder.write(run, {"loss": decay(30), "bad": [float("nan"), float("inf"), 1e308]})
        (folder.path / run / "graph.pb").write_bytes(graph_def(GRAPH))
        recording(folder.path / run, run)
    values = np.linspace(-1, 1, 40, dtype=np.float32)
    with SummaryWriter(folder.path / "train") as writer:
        writer.add_image("picture", np.zeros((3, 4, 4), np.uint8), 0)
        writer.add_audio("sound", values[None, :], 0, sample_rate=8_000)
        writer.add_text("words", "x and y", 0)
        writer.add_histogram("weights", values, 0)
        writer.add_pr_curve("curve", (values > 0).astype(int), (values + 1) / 2, 0)
        writer.add_mesh("mesh", np.ones((1, 3, 3), np.float32), global_step=0)
    write_embedding(folder.path / "train", np.eye(8, 5, dtype=np.float32), {"name": [*"abcdefgh"], "kind": ["p", "q"] * 4}, name="e")


def _changed_inside(fields: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Another value somewhere deep in the fields."""
    made: Any = json.loads(json.dumps(fields))
    holder, key = made, chance.choice([*made])
    while isinstance(holder[key], (dict, list)) and holder[key] and chance.random() < 0.8:
        holder = holder[key]
        key = chance.choice([*holder]) if isinstance(holder, dict) else chance.randrange(len(holder))
    holder[key] = chance.choice(ODD)
    return made


def _damaged(question: Question, chance: random.Random) -> Question:
    """Bytes of the body or letters of the query that are others, or nothing that is JSON; or another method or type of content."""
    if chance.random() < 0.2:
        return Question(chance.choice(["GET", "POST", "PATCH", "PUT", "DELETE"]), question.url, question.body)
    if question.body is None:
        url = bytearray(question.url.encode())
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(url.index(b"?"), len(url) + 1)
            url[at:at] = chance.choice([b"%00", b"%ff%fe", b"&&&", b"=", b"%", b"&x=%zz", b"&run=a&run=b", b"%ED%A0%80"])
        return Question(question.method, url.decode(), None)
    if chance.random() < 0.2:
        return Question(
            question.method,
            question.url,
            question.body,
            chance.choice(["text/plain", "multipart/form-data", "", "application/json\x7f"]),
        )
    body = bytearray(question.body)
    at = chance.randrange(len(body))
    body[at : at + chance.randint(0, 5)] = chance.choice([b"", b"\0", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"1e999", b"NaN"])
    return Question(question.method, question.url, bytes(body))
