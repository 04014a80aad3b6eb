"""Finds TensorBoard's plugins by their entry points, makes them, and keeps what each one offers, or why it cannot be used."""

from __future__ import annotations

import argparse
import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any
from urllib.parse import urlsplit

from stepscope.compat.logged import plugins_with_data
from stepscope.compat.peer_messages import peer_module
from stepscope.compat.plugins.provider import data_provider
from stepscope.compat.served import Served
from stepscope.model.errors import NeedsExtra

GROUP = "tensorboard_plugins"
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_PROBLEM = 2_000
log = logging.getLogger("stepscope.plugins")

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class HostedPlugin:
    """One plugin; with a problem it offers nothing."""

    name: str
    tab: str
    """Name of its tab."""
    distribution: str
    """The package that it is installed with."""
    module_path: str = ""
    """The module that draws it, below its own routes; empty when it has no page."""
    apps: Mapping[str, WsgiApp] = field(default_factory=dict[str, WsgiApp])
    disable_reload: bool = False
    remove_dom: bool = False
    problem: str = ""
    instance: Any = None

    @property
    def address(self) -> str:
        """Of the module that draws it, below /data."""
        return f"/data/plugin/{self.name}{self.module_path}"

    def app_at(self, route: str) -> WsgiApp | None:
        """What answers an address below the plugin: itself, or the longest folder that ends with a star."""
        if route in self.apps:
            return self.apps[route]
        folders = [path for path in self.apps if path.endswith("/*") and route.startswith(path[:-1])]
        return self.apps[max(folders, key=len)] if folders else None

    def is_active(self, with_data: set[str]) -> bool:
        """Whether it has anything to show; a plugin that cannot say so is shown with its error when it is opened."""
        if self.instance is None:
            return False
        try:
            return bool(set(self.instance.data_plugin_names()) & with_data) or bool(self.instance.is_active())
        except Exception:
            log.exception("The plugin %s could not say whether it is active", self.name)
            return True


class PluginHost:
    """The installed plugins, made in a thread of their own: importing some takes seconds, and one may hang."""

    def __init__(
        self, served: Served, logdir: str, done: Callable[[], None] = lambda: None, *, found: Iterable[EntryPoint] | None = None
    ) -> None:
        self._served = served
        self._logdir = logdir
        self._done = done
        self._found = list(_installed() if found is None else found)
        self._plugins: dict[str, HostedPlugin] = {}
        self._ready = threading.Event()

    def start(self) -> None:
        """Begins to load them; returns at once."""
        threading.Thread(target=self.load, name="stepscope-plugins", daemon=True).start()

    def load(self) -> None:
        """Loads them now."""
        try:
            if self._found:
                self._plugins = {plugin.name: plugin for plugin in self._load_all()}
        finally:
            self._ready.set()
            if self._plugins:
                self._done()

    @property
    def loaded(self) -> dict[str, HostedPlugin]:
        """Those that are loaded by now, by name."""
        return self._plugins if self._ready.is_set() else {}

    def listing(self) -> dict[str, dict[str, Any]]:
        """Those with a page as TensorBoard lists them."""
        with_data = plugins_with_data(self._served)
        return {
            plugin.name: {
                "disable_reload": plugin.disable_reload,
                "enabled": plugin.is_active(with_data),
                "remove_dom": plugin.remove_dom,
                "tab_name": plugin.tab,
                "loading_mechanism": {"type": "IFRAME", "module_path": plugin.address},
            }
            for plugin in self.loaded.values()
            if plugin.module_path
        }

    def plugin(self, name: str, wait: float = 60.0) -> HostedPlugin | None:
        """One of them; waits until all are loaded."""
        self._ready.wait(wait)
        return self._plugins.get(name)

    def _load_all(self) -> Iterable[HostedPlugin]:
        """Raises nothing: whatever goes wrong in a plugin is that plugin's problem."""
        try:
            base = peer_module("tensorboard.plugins.base_plugin")
            provider = data_provider(self._served)
        except NeedsExtra as missing:
            return [_broken(entry, missing.message) for entry in self._found]
        loaders: list[tuple[EntryPoint, Any]] = []
        found: list[HostedPlugin] = []
        for entry in self._found:
            try:
                loaders.append((entry, _loader(entry.load(), base)))
            except BaseException as problem:  # noqa: BLE001  # a plugin may even call sys.exit when it is imported
                found.append(_broken(entry, _said(problem)))
        instances: dict[str, Any] = {}
        context = base.TBContext(
            data_provider=provider,
            flags=_flags([loader for _, loader in loaders], self._logdir, self._served.title),
            logdir=self._logdir,
            plugin_name_to_instance=instances,
            sampling_hints={},
            window_title=self._served.title,
        )
        for entry, loader in loaders:
            made = _made(entry, loader, context, {plugin.name for plugin in found})
            if made is not None:
                found.append(made)
                instances[made.name] = made.instance
        return found


def _installed() -> Iterable[EntryPoint]:
    """All but those of TensorBoard itself, which has its own dashboards there, as Stepscope has."""
    return (entry for entry in entry_points(group=GROUP) if _distribution(entry).lower() != "tensorboard")


def _loader(found: Any, base: Any) -> Any:  # noqa: ANN401
    """An entry point gives a plugin's class, a loader's class, or a loader."""
    if isinstance(found, type):
        return base.BasicLoader(found) if issubclass(found, base.TBPlugin) else found()
    return found


def _made(entry: EntryPoint, loader: Any, context: Any, taken: set[str]) -> HostedPlugin | None:  # noqa: ANN401
    """The plugin with all that it offers; None when its loader says that it is not for this machine."""
    try:
        plugin = loader.load(context)
        if plugin is None:
            return None
        name = str(plugin.plugin_name)
        if not _NAME.fullmatch(name) or name in taken:
            return _broken(entry, f"Its name {name!r} is not valid, or another plugin has it.")
        apps = {str(route): app for route, app in plugin.get_plugin_apps().items()}
        shown = plugin.frontend_metadata()
        module = str(shown.es_module_path or "")
        if urlsplit(module).netloc or (module and not module.startswith("/")):
            return _broken(entry, "The module that draws it is not one of its own routes.")
        tab = str(shown.tab_name or name)
    except BaseException as problem:
        log.warning("The plugin %s failed to load", entry.name, exc_info=problem)
        return _broken(entry, _said(problem))
    return HostedPlugin(name, tab, _distribution(entry), module, apps, bool(shown.disable_reload), bool(shown.remove_dom), "", plugin)


def _flags(loaders: list[Any], logdir: str, title: str) -> argparse.Namespace:
    """TensorBoard's own flags and those of the plugins with their defaults; a plugin whose flags fail has none."""
    core = peer_module("tensorboard.plugins.core.core_plugin").CorePluginLoader()
    parser = argparse.ArgumentParser(add_help=False, conflict_handler="resolve")
    for loader in (core, *loaders):
        try:
            loader.define_flags(parser)
        except Exception:
            log.exception("The flags of a plugin could not be defined")
    flags, _ = parser.parse_known_args([])
    flags.logdir, flags.window_title = logdir, title
    return flags


def _broken(entry: EntryPoint, problem: str) -> HostedPlugin:
    return HostedPlugin(entry.name, entry.name, _distribution(entry), problem=problem[:_LONGEST_PROBLEM])


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]


def _said(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"
