"""Prints, as JSON, what TensorBoard's server answers about each of the given log folders; runs with the peers' Python."""
# pyright: reportMissingImports=false

import hashlib
import json
import sys
import time
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tensorboard import default, program

SERIES = ("histograms", "text", "pr_curves", "images", "audio")


def ask(address: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


def fetched(address: str) -> list[str]:
    """The type of a picture or a sound, and of a sound its bytes, too; pictures are compared by their pixels elsewhere."""
    with urlopen(address) as answer:
        kind = answer.headers["Content-Type"]
        return [kind, hashlib.sha256(answer.read()).hexdigest() if kind.startswith("audio") else ""]


def timeless(answer: Any) -> Any:
    """Without wall times and the addresses of blobs, which depend on when and where it was written."""
    if isinstance(answer, dict):
        return {key: timeless(value) for key, value in answer.items() if key not in ("wall_time", "blob_key", "query", "relative")}
    if isinstance(answer, list):
        return [timeless(value) for value in answer if not (isinstance(value, float) and value > 1e9)]
    return answer


def served(folder: str) -> dict[str, Any]:
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", folder, "--port", "0", "--host", "127.0.0.1", "--load_fast=false"])
    address = board.launch().rstrip("/") + "/data/plugin"
    before: Any = None
    for _ in range(60):  # The server answers before it has loaded everything, and does not tell when it has.
        now = answers(address)
        if now == before and all(now.values()):
            return now
        before = now
        time.sleep(0.5)
    raise TimeoutError("the server never came to rest")


def answers(address: str) -> dict[str, Any]:
    found: dict[str, Any] = {"layout": ask(f"{address}/custom_scalars/layout"), "mesh": timeless(ask(f"{address}/mesh/tags"))}
    experiment = ask(f"{address}/hparams/experiment", {"experimentName": ""})
    found["hparams"] = [experiment["hparamInfos"], experiment["metricInfos"]]
    for plugin in SERIES:
        tags = ask(f"{address}/{plugin}/tags")
        found[plugin] = {"tags": tags}
        for run, names in tags.items():
            for tag in names:
                asked = {"run": run, "tag": tag, "sample": 0}
                answer = ask(f"{address}/{plugin}/{plugin}?{urlencode(asked)}")
                found[plugin][f"{run}/{tag}"] = timeless(answer)
                if plugin in ("images", "audio"):
                    single = f"{address}/{plugin}/individual{plugin.removesuffix('s').capitalize()}"
                    found[plugin][f"{run}/{tag}/file"] = fetched(f"{single}?{answer[0]['query']}")
    return found


if __name__ == "__main__":
    print(json.dumps([served(folder) for folder in sys.argv[1:]]))
