"""The page in a plugin's frame, which loads the plugin's module and calls it, and what the frame may do."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence

from stepscope.compat.plugins.host import HostedPlugin

PATH = "/data/plugin_entry.html"

_SCRIPT = """
const show = (problem) => {
  const line = document.createElement('pre');
  line.id = 'stepscope-problem';
  line.textContent = `The plugin failed: ${problem && problem.message ? problem.message : problem}`;
  line.style.cssText = 'font: 13px monospace; white-space: pre-wrap; padding: 16px; color: #b3261e; background: #fff';
  document.body.prepend(line);
};
addEventListener('unhandledrejection', (event) => show(event.reason), { once: true });
import(MODULE).then((module) => module.render()).catch(show);
"""


def frame_page(plugin: HostedPlugin) -> str:
    """The page; addresses in it are below the plugin's own routes, as under TensorBoard."""
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><base href="plugin/{html.escape(plugin.name)}/"></head>\n'
        f'<body><script type="module">{_script(plugin)}</script></body></html>\n'
    )


def frame_policy(site: str, prefix: str, hosts: Sequence[str], plugin: HostedPlugin | None = None) -> str:
    """What a frame and the files in it may do: run the plugins' code, and ask for data, of this server alone.

    `hosts` are other hosts that whoever started the server allows. The frame is of this site, as plugins expect, but it can
    reach nothing below /api, so that it cannot change runs.
    """
    own = f"{site}{prefix}/data/ {site}{prefix}/experiment/"
    allowed = "".join(f" {host}" for host in hosts)
    digest = "" if plugin is None else f" 'sha256-{base64.b64encode(hashlib.sha256(_script(plugin).encode()).digest()).decode()}'"
    # Files of plugins have scripts inside, which TensorBoard lets run; a digest would turn that off for the page that loads them.
    scripts = digest or " 'unsafe-inline'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {own} 'unsafe-eval' blob:{scripts}{allowed}",
            f"worker-src {own} blob:",
            f"style-src {own} 'unsafe-inline'{allowed}",
            f"img-src {own} data: blob:{allowed}",
            f"media-src {own} data: blob:",
            f"font-src {own} data:{allowed}",
            f"connect-src {own} data: blob:{allowed}",
            f"frame-src {own} blob: data:{allowed}",
            f"base-uri {own}",
            "form-action 'none'",
            "frame-ancestors 'self'",
        )
    )


def _script(plugin: HostedPlugin) -> str:
    module = json.dumps(f".{plugin.module_path}").replace("<", "\\u003c")
    return _SCRIPT.replace("MODULE", module)
