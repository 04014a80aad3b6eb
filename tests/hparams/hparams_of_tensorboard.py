"""Makes the same calls on TensorBoard's hparams API and on ours, and prints what each has written; runs with the peers' Python."""
# pyright: reportMissingImports=false

import inspect
import json
import random
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import keras
import numpy as np
import tensorflow as tf
from google.protobuf.json_format import MessageToDict
from tensorboard import default, program
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.plugins.hparams import api as theirs
from tensorboard.plugins.hparams import plugin_data_pb2

from stepscope import SummaryWriter, summary
from stepscope import hparams as ours

NAMES = ("HParam", "IntInterval", "RealInterval", "Discrete", "Metric", "hparams", "hparams_config", "KerasCallback")


def signatures(api: Any) -> dict[str, list[str]]:
    """Name, kind and default of each argument."""
    found = {}
    for name in NAMES:
        parameters = inspect.signature(getattr(api, name)).parameters.values()
        found[name] = [f"{each.name} {each.kind.name} {each.default}" for each in parameters]
    return found


def experiment(api: Any) -> None:
    api.hparams_config(
        hparams=[
            api.HParam("lr", api.RealInterval(1e-5, 1e-1), display_name="learning rate", description="*small*"),
            api.HParam("layers", api.IntInterval(0, 8)),
            api.HParam("optimizer", api.Discrete(["sgd", "adam"])),
            api.HParam("units", api.Discrete([64, 16])),
            api.HParam("bias", api.Discrete([True, False])),
            api.HParam("none", api.Discrete([], dtype=float)),
            api.HParam("free ✓"),
        ],
        metrics=[
            api.Metric("epoch_loss", group="validation", display_name="loss", description="d", dataset_type=api.Metric.VALIDATION),
            api.Metric("epoch_accuracy", group="train", dataset_type=api.Metric.TRAINING),
            api.Metric("score"),
        ],
        time_created_secs=5.0,
    )


def trials(api: Any) -> None:
    lr = api.HParam("lr", api.RealInterval(1e-5, 1e-1))
    api.hparams(
        {lr: np.float32(0.5), "layers": np.int64(3), "bias": False, "name": "adam", "empty": "", "zero": 0.0}, start_time_secs=7.0
    )


def repetition(api: Any) -> None:
    api.hparams({"lr": 0.25}, trial_id="again", start_time_secs=8.0)


def fit(api: Any, writer: Any, ended: list[str]) -> None:
    callback = api.KerasCallback(writer, {"lr": 0.125, "bias": True}, trial_id="fit")
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.zeros((4, 2)), np.zeros((4, 1)), verbose=0, callbacks=[callback])
    try:
        model.fit(np.zeros((4, 2)), np.zeros((4, 1)), verbose=0, callbacks=[callback])
    except RuntimeError as error:
        ended.append(type(error).__name__)


def written(top: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for path in sorted(top.rglob("*tfevents*")):
        run = found.setdefault(path.parent.relative_to(top).as_posix(), [])
        for event in LegacyEventFileLoader(str(path)).Load():
            for value in event.summary.value:
                plugin = value.metadata.plugin_data
                if plugin.plugin_name != "hparams":
                    continue
                content = MessageToDict(plugin_data_pb2.HParamsPluginData.FromString(plugin.content))
                run.append([event.step, value.tag, str(value.tensor), timeless(content)])
    return found


def timeless(content: Any) -> Any:
    """Without the times that were not given."""
    if isinstance(content, dict):
        return {key: timeless(value) for key, value in content.items() if not (key.endswith("TimeSecs") and value > 1e9)}
    return [timeless(each) for each in content] if isinstance(content, list) else content


def served(folder: Path) -> Any:
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(folder), "--port", "0", "--host", "127.0.0.1", "--load_fast=false"])
    address = f"{board.launch().rstrip('/')}/data/plugin/hparams"
    asked = {
        "experimentName": "",
        "allowedStatuses": ["STATUS_SUCCESS", "STATUS_UNKNOWN", "STATUS_RUNNING"],
        "colParams": [],
        "sliceSize": 100,
    }
    for _ in range(60):
        answer = ask(f"{address}/session_groups", asked)
        if len(answer.get("sessionGroups", [])) == 3:
            return timeless(sorted(answer["sessionGroups"], key=lambda group: group["name"]))
        time.sleep(0.3)
    raise TimeoutError("the server never shows three sessions")


def ask(address: str, body: Any) -> Any:
    with urlopen(Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


def refusals(api: Any) -> list[str]:
    calls = (
        lambda: api.IntInterval(1.0, 2),
        lambda: api.RealInterval(1, 2.0),
        lambda: api.IntInterval(2, 1),
        lambda: api.IntInterval(),
        lambda: api.Discrete([]),
        lambda: api.Discrete([1, "a"]),
        lambda: api.Discrete([b"x"]),
        lambda: api.HParam("a", domain=3),
        lambda: api.Metric("a", dataset_type=7),
        lambda: api.KerasCallback(None, {}),
        lambda: api.KerasCallback("nowhere", {"a": [1]}),
        lambda: api.KerasCallback("nowhere", {"a": 1}, trial_id=3),
        lambda: api.KerasCallback("nowhere", {"a": 1, api.HParam("a"): 2}),
    )
    kinds = []
    for call in calls:
        try:
            call()
            kinds.append("")
        except Exception as error:
            kinds.append(type(error).__name__)
    return kinds


def shown(api: Any) -> list[Any]:
    """Texts, properties and samples."""
    domains = [api.IntInterval(1, 3), api.RealInterval(0.5, 1.5), api.Discrete(["b", "a"])]
    texts = [text for domain in domains for text in (str(domain), repr(domain), domain.dtype.__name__)]
    samples = [domain.sample_uniform(random.Random(4)) for domain in domains]
    hparam = api.HParam("x", domains[0], "X", "d")
    return [texts, samples, str(hparam), repr(hparam), hparam.name, hparam.display_name, hparam.description, domains[2].values]


def run(api: Any, top: Path, make: Any, callback_writer: Any) -> dict[str, Any]:
    ended: list[str] = []
    for name, log in (("", experiment), ("first", trials), ("second", repetition)):
        with make(str(top / name)).as_default() as writer:
            log(api)
            writer.flush()
    fit(api, callback_writer(str(top / "third")), ended)
    return {
        "signatures": signatures(api),
        "written": written(top),
        "ended": ended,
        "served": served(top),
        "refusals": refusals(api),
        "shown": shown(api),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    found = {
        "theirs": run(theirs, folder / "theirs", tf.summary.create_file_writer, lambda path: path),
        "ours": run(ours, folder / "ours", summary.create_file_writer, lambda path: path),
    }
    for name, make in (("writer", SummaryWriter), ("summary", summary.create_file_writer)):
        writer = make(str(folder / name))
        fit(ours, writer, [])
        writer.close()
        found[name] = written(folder / name)
    print(json.dumps(found))
