"""A plugin whose page fails when it is drawn."""
# pyright: reportMissingImports=false

from typing import Any

from greeting_plugin import GreetingPlugin
from tensorboard.plugins import base_plugin


class FailingPlugin(GreetingPlugin):
    plugin_name = "failing"

    def frontend_metadata(self) -> Any:
        return base_plugin.FrontendMetadata(es_module_path="/static/failing.js", tab_name="Failing")
