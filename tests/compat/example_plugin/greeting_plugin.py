"""A TensorBoard plugin as small as one can be that uses everything: data, routes, files, a page, and the messages of its frame."""
# pyright: reportMissingImports=false, reportArgumentType=false

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorboard import plugin_util
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

HERE = Path(__file__).parent
ALL = 100_000


def each(found: Any, made: Callable[[Any], Any]) -> Any:
    """What is made of each series, by run and tag."""
    return {run: {tag: made(one) for tag, one in tags.items()} for run, tags in found.items()}


def shown(value: Any) -> str:
    """A number to five digits, as old histograms are rounded by TensorBoard; anything else as it is."""
    return f"{value:.5g}" if isinstance(value, float) else repr(value)


class GreetingPlugin(base_plugin.TBPlugin):
    plugin_name = "greeting"

    def __init__(self, context: Any) -> None:
        self._data = context.data_provider

    def is_active(self) -> bool:
        return False

    def data_plugin_names(self) -> tuple[str, ...]:
        return ("scalars",)

    def frontend_metadata(self) -> Any:
        return base_plugin.FrontendMetadata(es_module_path="/static/index.js", tab_name="Greetings")

    def get_plugin_apps(self) -> dict[str, Any]:
        return {"/facts": self._facts, "/fail": self._fail, "/static/*": self._file}

    @wrappers.Request.application
    def _facts(self, request: Any) -> Any:
        ctx, experiment = plugin_util.context(request.environ), plugin_util.experiment_id(request.environ)
        asked = {"experiment_id": experiment, "plugin_name": request.args.get("plugin", "scalars")}
        data = self._data

        def size(blob: Any) -> int:
            return len(data.read_blob(ctx, blob_key=blob.blob_key))

        def about(one: Any) -> list[Any]:
            words = [one.plugin_content.hex(), one.description, one.display_name, getattr(one, "max_length", 0)]
            return [one.max_step, one.max_wall_time, *words]

        facts = {
            "runs": sorted(run.run_name for run in data.list_runs(ctx, experiment_id=experiment)),
            "plugins": sorted(data.list_plugins(ctx, experiment_id=experiment)),
            "scalars": each(
                data.read_scalars(ctx, **asked, downsample=ALL), lambda points: [[p.step, p.wall_time, repr(p.value)] for p in points]
            ),
            "last": each(data.read_last_scalars(ctx, **asked), lambda point: repr(point.value)),
            "tensors": each(
                data.read_tensors(ctx, **asked, downsample=ALL),
                lambda found: [[d.step, d.wall_time, d.numpy.shape, [shown(v) for v in d.numpy.ravel().tolist()]] for d in found],
            ),
            "blobs": each(
                data.read_blob_sequences(ctx, **asked, downsample=ALL),
                lambda found: [[d.step, [size(b) for b in d.values]] for d in found],
            ),
            "listed scalars": each(data.list_scalars(ctx, **asked), about),
            "listed tensors": each(data.list_tensors(ctx, **asked), about),
            "listed blobs": each(data.list_blob_sequences(ctx, **asked), about),
            "path": [request.script_root, request.path],
            "body": request.get_data(as_text=True),
        }
        return wrappers.Response(json.dumps(facts, sort_keys=True), content_type="application/json")

    @wrappers.Request.application
    def _fail(self, _: Any) -> Any:
        raise RuntimeError("this route always fails")

    @wrappers.Request.application
    def _file(self, request: Any) -> Any:
        name = request.path.rpartition("/")[2]
        return wrappers.Response((HERE / name).read_bytes(), content_type="text/javascript")
