"""`stepscope mcp`: a server of the Model Context Protocol on standard input and output, for agents."""

from __future__ import annotations

import os
import sys

import click

from stepscope.cli.log_folders import parse_roots


@click.command("mcp")
@click.argument("logdirs", nargs=-1, required=True, metavar="LOGDIR…")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
def command(logdirs: tuple[str, ...], no_cache: bool) -> None:
    """Let an agent read runs and profiles over the Model Context Protocol (MCP).

    Messages are exchanged on standard input and output. All tools are read-only: runs, series, hyperparameters, profile reports,
    what-if, comparison and SQL (with stepscope[sql]).
    """
    from stepscope.agents.all_tools import ALL_TOOLS
    from stepscope.agents.protocol import AgentServer
    from stepscope.ingest.loader import Loader
    from stepscope.session.kept_answers import KeptAnswers
    from stepscope.session.reads import Reads
    from stepscope.store.library import Library

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever libraries print must not come between messages
    library = Library()
    loader = Loader(library, parse_roots(logdirs), reload_interval=0.0, cache=not no_cache)
    try:
        loader.load()
        reads = Reads(library, kept=None if no_cache else KeptAnswers())
        AgentServer(ALL_TOOLS, reads, loader.reload).serve(sys.stdin.buffer, answers)
    finally:
        loader.stop()
