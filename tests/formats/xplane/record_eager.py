"""Run with the peers' Python: records eager TensorFlow into a folder, and prints what XProf lists of its operations as JSON."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
tf = import_module("tensorflow")
raw_to_tool_data = import_module("xprof.convert.raw_to_tool_data")


def in_python(value: Any) -> Any:
    return value + sum(range(2000))


def record(folder: str) -> Path:
    image = tf.io.encode_jpeg(tf.zeros([256, 256, 3], tf.uint8)).numpy()
    dataset = tf.data.Dataset.from_tensor_slices([image]).repeat()
    dataset = dataset.map(lambda each: tf.cast(tf.io.decode_jpeg(each), tf.float32))
    batches = iter(dataset.map(lambda each: tf.py_function(in_python, [each], tf.float32)).batch(2))
    weights = tf.random.normal([512, 512])

    def step(number: int) -> None:
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            next(batches)
            tf.py_function(in_python, [tf.matmul(weights, weights)], tf.float32)
            tf.io.decode_jpeg(image)

    step(0)
    tf.profiler.experimental.start(folder)
    for number in range(1, 5):
        step(number)
    tf.profiler.experimental.stop()
    return next(Path(folder).rglob("*.xplane.pb"))


def listed(path: Path) -> dict[str, list[float]]:
    """By name: occurrences and microseconds of an operation of the host."""
    data, _ = raw_to_tool_data.xspace_to_tool_data([str(path)], "framework_op_stats", {})
    table = json.loads(data)[0]
    columns = [column["id"] for column in table["cols"]]
    rows = [dict(zip(columns, [cell["v"] for cell in row["c"]], strict=True)) for row in table["rows"]]
    return {row["operation"]: [row["occurrences"], row["total_time"]] for row in rows if row["host_or_device"] == "Host"}


if __name__ == "__main__":
    written = record(sys.argv[1])
    json.dump({"path": str(written), "xprof": listed(written)}, sys.stdout)
