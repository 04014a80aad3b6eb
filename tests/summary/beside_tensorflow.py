"""Makes the same calls of tf.summary and stepscope.summary, and prints, as JSON, what TensorBoard gives for both and their signatures.

Runs with the peers' Python. What is given: the content of every series by TensorBoard's two loaders, pictures as pixels.
"""
# pyright: reportMissingImports=false, reportArgumentType=false

import hashlib
import inspect
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from PIL import Image
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.context import RequestContext
from tensorboard.data import server_ingester
from tensorboard.util import grpc_util

from stepscope import summary

PLUGINS = ("scalars", "histograms", "images", "audio", "text", "own", "own_blobs", "graphs", "graph_run_metadata_graph")
TENSORS = ("histograms", "text", "own")
NAMES = (
    "audio create_file_writer create_noop_writer flush graph histogram image record_if scalar should_record_summaries text"
    " trace_export trace_off trace_on write"
)
RANDOM = np.random.default_rng(7)
NORMAL = RANDOM.normal(size=(50, 20)).astype(np.float32)
PIXELS = {
    "bytes": RANDOM.integers(0, 256, (2, 4, 5, 3), np.uint8),
    "grey": RANDOM.random((1, 4, 5, 1), np.float32),
    "grey_alpha": RANDOM.random((1, 4, 5, 2), np.float32),
    "beyond": RANDOM.normal(size=(5, 3, 4, 4)).astype(np.float32),
    "double": RANDOM.random((1, 4, 5, 3)),
    "half": RANDOM.random((1, 4, 5, 3)).astype(np.float16),
    "words": RANDOM.integers(0, 65536, (1, 4, 5, 3), np.uint16),
    "integers": RANDOM.integers(-(2**31), 2**31, (1, 4, 5, 3), np.int32),
    "small": RANDOM.integers(-128, 128, (1, 4, 5, 3), np.int8),
}
WAVES = RANDOM.normal(size=(4, 60, 2)).astype(np.float32) / 2


def log(api: Any, folder: str) -> None:
    """The calls, as a user of tf.summary writes them."""
    writer = api.create_file_writer(folder)
    with writer.as_default(step=1):
        api.scalar("loss", 0.1)
        api.scalar("loss", np.float64(1e300), step=2)
        api.scalar("loss", float("nan"), step=tf.constant(3, tf.int64))
        api.scalar("described", tf.constant(2), description="**two**")
        api.scalar("truth", True)
        api.scalar("variable", tf.Variable(1.5), step=tf.Variable(4, dtype=tf.int64))
        api.scalar("rate", tf.keras.optimizers.SGD(0.25).learning_rate)
        with tf.name_scope("outer"), tf.name_scope("inner"):
            api.scalar("scoped", 1.0)
            api.write("unscoped", tf.constant([1.0, 2.0]), metadata=plugin("own", 2))
        api.histogram("normal", NORMAL)
        api.histogram("normal", tf.constant(NORMAL), step=2, description="bell")
        api.histogram("five", NORMAL, buckets=5)
        api.histogram("integers", np.arange(100))
        api.histogram("constant", np.full(9, 2.5))
        api.histogram("empty", np.zeros(0))
        api.histogram("none", NORMAL, buckets=0)
        api.histogram("slices", tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2])))
        for name, pixels in PIXELS.items():
            api.image(f"picture/{name}", pixels, description=name)
        api.image("few", PIXELS["beyond"], max_outputs=1)
        api.image("list", [PIXELS["grey"][0], PIXELS["grey"][0]])
        api.audio("waves", WAVES, 8000, description="noise")
        api.audio("one", tf.constant(WAVES[:1]), sample_rate=44100, max_outputs=1, encoding="wav")
        api.text("words", "# Title ✓")
        api.text("table", [["a", "b"], ["c", "d"]], description="four")
        api.text("tensor", tf.constant(["x", "y"]))
        api.write("int", 3, metadata=plugin("own", 2).SerializeToString())
        api.write("float", 0.1, metadata=plugin("own", 2))
        api.write("half", tf.constant([1.5], tf.float16), metadata=plugin("own", 2))
        api.write("truths", np.array([True, False]), metadata=plugin("own", 2))
        api.write("computed", lambda: tf.constant([[1, 2]], tf.int64), metadata=plugin("own", 2))
        api.write("blobs", tf.constant([b"one", b"\xff"]), metadata=plugin("own_blobs", 3))
        api.experimental.write_raw_pb(raw_summary(), step=9)
        with api.record_if(False):
            api.scalar("never", 1.0)
        with api.record_if(lambda: tf.constant(True)):
            api.scalar("conditional", 1.0)
        with api.experimental.summary_scope("own scope!") as (tag, _):
            api.scalar(tag, 1.0)
        api.graph(tf.function(lambda: tf.constant(2.0) * 3.0).get_concrete_function().graph)
        api.trace_on()
        tf.function(lambda x: x * x + 1.0)(tf.constant(2.0))
        api.trace_export("trace", step=5)
    writer.close()


def plugin(name: str, data_class: int) -> Any:
    data = tf.compat.v1.SummaryMetadata.PluginData(plugin_name=name, content=b"content")
    return tf.compat.v1.SummaryMetadata(plugin_data=data, data_class=data_class, display_name="Shown", summary_description="Said")


def raw_summary() -> bytes:
    return tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="raw", simple_value=4.0)]).SerializeToString()


def provided(provider: Any) -> dict[str, Any]:
    """Of each plugin and tag: what TensorBoard knows of the series, and its values."""
    context, found = RequestContext(), {}
    about = {"experiment_id": ""}
    for name in PLUGINS:
        at = {**about, "plugin_name": name}
        kind = "scalars" if name == "scalars" else "tensors" if name in TENSORS else "blob_sequences"
        # In this order, as the data server may still be loading and knows at least what it has given.
        read = getattr(provider, f"read_{kind}")(context, downsample=1000, **at)
        known = getattr(provider, f"list_{kind}")(context, **at)
        found[name] = {
            tag: [facts(known[run][tag]), [[datum.step, content(provider, datum)] for datum in data]]
            for run, tags in read.items()
            for tag, data in tags.items()
        }
    return found


def facts(series: Any) -> list[str]:
    return [series.description, series.display_name, hashlib.sha256(series.plugin_content).hexdigest()]


def content(provider: Any, datum: Any) -> Any:
    if hasattr(datum, "value"):
        return repr(float(datum.value))
    if hasattr(datum, "numpy"):
        array = np.asarray(datum.numpy)
        numbers = array.astype(float).tolist() if array.dtype.kind not in "OSU" else [str(each) for each in array.reshape(-1)]
        return [str(array.dtype), list(array.shape), numbers]
    return [blob(provider.read_blob(RequestContext(), blob_key=each.blob_key)) for each in datum.values]


def blob(data: bytes) -> Any:
    """Pictures by their pixels, as their compression may differ, and graphs by what they are made of."""
    if data.startswith(b"\x89PNG"):
        picture = Image.open(io.BytesIO(data))
        return [picture.mode, np.asarray(picture).tolist()]
    for message in (tf.compat.v1.RunMetadata, tf.compat.v1.GraphDef):
        try:
            read = message.FromString(data)
        except Exception:
            continue
        if isinstance(read, tf.compat.v1.RunMetadata) and read.function_graphs:
            graphs = [sorted(node.op for node in graph.pre_optimization_graph.node) for graph in read.function_graphs]
            return [ops for ops in graphs if "AddV2" in ops]  # TensorFlow's own writer runs functions, too.
        if isinstance(read, tf.compat.v1.GraphDef) and read.node:
            return sorted([node.name, node.op] for node in read.node)
    return data.hex() if len(data) < 100 else hashlib.sha256(data).hexdigest()


def python_loader(folder: str) -> Any:
    multiplexer = EventMultiplexer(tensor_size_guidance=dict.fromkeys(PLUGINS, 0))
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    return provided(MultiplexerDataProvider(multiplexer, folder))


def data_server(folder: str) -> Any:
    ingester = server_ingester.SubprocessServerDataIngester(
        server_binary=server_ingester.get_server_binary(),
        logdir=folder,
        reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL,
        samples_per_plugin=dict.fromkeys(PLUGINS, 1000),
    )
    ingester.start()
    before = None
    for _ in range(60):  # The server answers before it has loaded everything, and does not tell when it has.
        now = provided(ingester.data_provider)
        if now == before and now["scalars"] and now["graph_run_metadata_graph"]:
            return now
        before = now
        time.sleep(0.5)
    raise TimeoutError("the data server never came to rest")


def signatures(api: Any) -> dict[str, Any]:
    named = {name: getattr(api, name) for name in NAMES.split()}
    for name in ("get_step", "set_step", "summary_scope", "write_raw_pb"):
        named[f"experimental.{name}"] = getattr(api.experimental, name)
    for name in ("as_default", "set_as_default", "init", "flush", "close"):
        named[f"SummaryWriter.{name}"] = getattr(api.SummaryWriter, name)
    return {name: [[p.name, repr(p.default), p.kind.name] for p in parameters(each)] for name, each in named.items()}


def parameters(function: Any) -> Any:
    return inspect.signature(function).parameters.values()


def v1_signatures(writer: Any) -> dict[str, Any]:
    names = "__init__ add_summary add_graph add_meta_graph add_run_metadata add_session_log add_event get_logdir flush close reopen"
    return {name: [[p.name, repr(p.default)] for p in parameters(getattr(writer, name))] for name in names.split()}


if __name__ == "__main__":
    top = Path(sys.argv[1])
    report: dict[str, Any] = {}
    for name, api, v1 in (("tensorflow", tf.summary, tf.compat.v1.summary.FileWriter), ("ours", summary, summary.FileWriter)):
        folder = str(top / name)
        log(api, folder)
        report[name] = {
            "python": python_loader(folder),
            "data_server": data_server(folder),
            "signatures": signatures(api),
            "v1": v1_signatures(v1),
        }
    report["names"] = sorted(name for name in dir(tf.summary) if not name.startswith("_"))
    print(json.dumps(report))
