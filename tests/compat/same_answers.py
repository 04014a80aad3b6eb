"""Compares an answer of this server with TensorBoard's; the few deliberate differences are listed here, and on the docs' page."""

from __future__ import annotations

import base64
import json
import math
from typing import Any, cast

import numpy as np
from starlette.testclient import TestClient

JSON = "application/json"
NOT_OURS = {"debugger-v2", "profile", "profile_redirect", "wit", "wit_redirect", "text_v2", "npmi"}
"""TensorBoard's plugins without routes here."""
ROUNDED = 1e-6
"""How far percentiles may differ: TensorBoard computes those of old histograms from edges that it rounds to 32 bits."""


def ask(client: TestClient, asked: dict[str, Any]) -> Any:
    """Sends this server the same request."""
    if asked["body"] is None:
        return client.get(asked["path"])
    headers = {"content-type": asked["kind"]} if asked["kind"] else {}
    return client.post(asked["path"], content=asked["body"].encode(), headers=headers)


def difference(asked: dict[str, Any], answer: Any) -> str:
    """What is not the same, in words; empty when all is."""
    theirs, ours = asked["status"], answer.status_code
    if theirs == 500:  # their mistakes are not repeated
        return "" if ours in (200, 400, 404) else f"status {ours}, where TensorBoard fails"
    if theirs != ours:
        return f"status {theirs} is {ours}: {answer.text[:200]}"
    if theirs != 200:
        return "" if answer.headers["content-type"].startswith("text/plain") and answer.text else "an error that is no text"
    kind = answer.headers["content-type"].partition(";")[0]
    if kind != asked["type"]:
        return f"type {asked['type']} is {kind}"
    data = base64.b64decode(asked["data"])
    if kind == "text/x-protobuf":
        return first_difference(blocks(data.decode()), blocks(answer.text), "", 0.0)
    if kind != JSON:
        return "" if data == answer.content else f"{data[:300]!r} is {answer.content[:300]!r}"
    expected, found = adapted(asked["path"], json.loads(data), answer.json())
    return first_difference(expected, found, "", ROUNDED if "/distributions/" in asked["path"] else 0.0)


def blocks(text: str) -> list[Any]:
    """Protobuf text as nested lists; entries of maps, for which TensorBoard has no order, and names of large attributes are sorted."""
    top: list[Any] = []
    path = [top]
    for line in text.splitlines():
        if line.endswith("{"):
            inner: list[Any] = [line.strip()]
            path[-1].append(inner)
            path.append(inner)
        elif line.strip() == "}":
            done = path.pop()
            entries = [at for at, one in enumerate(done) if isinstance(one, list) and str(one[1:2]).startswith("['key:")]
            for at, one in zip(entries, sorted((done[at] for at in entries), key=str), strict=True):
                done[at] = one
            if path[-1][1:2] == ['key: "_large"'] and isinstance(done[1], list):
                done[1].sort()
        else:
            path[-1].append(line.strip())
    return top


def adapted(path: str, theirs: Any, ours: Any) -> tuple[Any, Any]:
    """Both answers without what differs on purpose."""
    if path == "/data/environment":
        theirs.pop("debug", None)  # flags of the command line are told to nobody
    elif path == "/data/plugins_listing":
        known = {name: about for name, about in theirs.items() if name not in NOT_OURS and name in ours}
        known["projector"]["loading_mechanism"] = {"type": "NONE"}  # the page's own code for it is not served
        known["projector"]["enabled"] = ours["projector"]["enabled"]  # TensorBoard finds out later, in a thread
        return known, ours
    elif "/hparams/experiment" in path:
        for each in (theirs, ours):
            for info in each["hparamInfos"]:  # TensorBoard has no order for them
                info["domainDiscrete"] = sorted(info.get("domainDiscrete", []), key=str)
    elif "/text/text?" in path:
        for each in (theirs, ours):
            for entry in each:  # the warning about dimensions has other words
                entry["text"] = entry["text"][entry["text"].find("<table>") :] if "Warning:" in entry["text"] else entry["text"]
    return theirs, ours


def first_difference(theirs: Any, ours: Any, place: str, share: float) -> str:
    """Where two JSON values differ; numbers that TensorBoard has rounded to 32 bits are compared as such."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        one, other = cast("dict[str, Any]", theirs), cast("dict[str, Any]", ours)
        if one.keys() != other.keys():
            return f"{place}: keys only there {sorted(one.keys() - other.keys())}, only here {sorted(other.keys() - one.keys())}"
        entries = [(one[key], other[key], f"{place}.{key}") for key in one]
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return f"{place}: {len(theirs)} entries are {len(ours)}: {json.dumps(theirs)[:300]} is {json.dumps(ours)[:300]}"
        entries = [(theirs[at], ours[at], f"{place}[{at}]") for at in range(len(theirs))]
    else:
        return "" if same(theirs, ours, share) else f"{place}: {theirs!r} is {ours!r}"
    return next((said for entry in entries if (said := first_difference(*entry, share))), "")


def same(theirs: Any, ours: Any, share: float) -> bool:
    if isinstance(theirs, float | int) and isinstance(ours, float | int) and not isinstance(ours, bool):
        rounded = bool(np.float32(theirs) == theirs) and bool(np.float32(ours) == np.float32(theirs))
        return rounded or math.isclose(theirs, ours, rel_tol=share)
    return type(theirs) is type(ours) and theirs == ours
