"""Writes configurations with our projector module and with TensorBoard's, for TensorBoard to read; runs with the peers' Python."""
# pyright: reportMissingImports=false

import hashlib
import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
from google.protobuf import text_format
from google.protobuf.json_format import MessageToDict
from tensorboard import default, program
from tensorboard.plugins import projector as theirs
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from stepscope import projector as ours

ODD = 'a"b\\c\td\ne ✓ \x01\x7f'


def full(api: Any) -> Any:
    """A configuration with every field."""
    config = api.ProjectorConfig()
    config.model_checkpoint_path = "model.ckpt"
    config.model_checkpoint_dir = "checkpoints"
    embedding = config.embeddings.add()
    embedding.tensor_name = ODD
    embedding.tensor_path = "vectors.tsv"
    embedding.tensor_shape.extend([5, 3])
    embedding.metadata_path = "metadata.tsv"
    embedding.bookmarks_path = "bookmarks.txt"
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 14])
    config.embeddings.add()
    config.embeddings.add(tensor_name="third", tensor_shape=[7])
    config.embeddings.append(api.EmbeddingInfo(tensor_name="fourth"))
    config.embeddings.extend([api.EmbeddingInfo(sprite=api.SpriteMetadata(image_path="p"))])
    del config.embeddings[3]
    return config


def seed(api: Any, folder: Path) -> None:
    """The way of the guides: files written by hand, then the configuration."""
    folder.mkdir(parents=True)
    np.savetxt(folder / "vectors.tsv", np.arange(12.0).reshape(4, 3), delimiter="\t")
    (folder / "metadata.tsv").write_text("one\ntwo\nthree\nfour\n")
    config = api.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_path = "vectors.tsv"
    embedding.metadata_path = "metadata.tsv"
    api.visualize_embeddings(str(folder), config)


def parsed(folder: Path) -> Any:
    return MessageToDict(text_format.Parse((folder / "projector_config.pbtxt").read_text(), ProjectorConfig()))


def served(folder: Path, runs: int) -> Any:
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(folder), "--port", "0", "--host", "127.0.0.1", "--load_fast=false"])
    address = f"{board.launch().rstrip('/')}/data/plugin/projector"
    for _ in range(60):
        names = json.loads(fetched(f"{address}/runs"))
        if len(names) == runs:
            return {run: answers(address, run) for run in sorted(names)}
        time.sleep(0.3)
    raise TimeoutError("the server never shows all runs")


def answers(address: str, run: str) -> Any:
    info = json.loads(fetched(f"{address}/info?{urlencode({'run': run})}"))
    found: dict[str, Any] = {"info": info}
    for embedding in info["embeddings"]:
        name = embedding["tensorName"]
        asked = urlencode({"run": run, "name": name})
        vectors = np.frombuffer(fetched(f"{address}/tensor?{asked}"), np.float32)
        found[name] = {"vectors": vectors.tolist(), "metadata": fetched(f"{address}/metadata?{asked}").decode()}
        if "sprite" in embedding:
            found[name]["sprite"] = hashlib.sha256(fetched(f"{address}/sprite_image?{asked}")).hexdigest()
    return found


def fetched(address: str) -> bytes:
    with urlopen(address) as answer:
        return answer.read()


if __name__ == "__main__":
    top = Path(sys.argv[1])
    for name, api in (("theirs", theirs), ("ours", ours)):
        seed(api, top / name)
        (top / f"{name}-full").mkdir()
        api.visualize_embeddings(str(top / f"{name}-full"), full(api))
    (top / "mixed").mkdir()
    ours.visualize_embeddings(top / "mixed", full(theirs))
    written = top / "written"
    pictures = np.random.default_rng(0).random((4, 3, 5, 6))
    ours.write_embedding(
        written, np.arange(8.0).reshape(4, 2), {"word": ["a", "b\tc", "d\ne", "✓"], "count": [1, 2, 3, 4]}, pictures, "words"
    )
    ours.write_embedding(written, np.arange(4.0).reshape(2, 2), ["x", "y"], name="small/one")
    ours.write_embedding(written, np.arange(4.0).reshape(2, 2) + 0.5, {"only": ["x", "y"]}, name="small/one")
    print(
        json.dumps(
            {
                "arguments": [
                    [each.name for each in inspect.signature(api.visualize_embeddings).parameters.values()] for api in (theirs, ours)
                ],
                "parsed": {name: parsed(top / name) for name in ("theirs-full", "ours-full", "mixed", "theirs", "ours", "written")},
                "served": {name: served(top / name, 1) for name in ("theirs", "ours", "written")},
                "sprite": hashlib.sha256((written / "words" / "sprite.png").read_bytes()).hexdigest(),
            }
        )
    )
