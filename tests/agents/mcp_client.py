"""Runs in the environment of agents: asks a server with the real client, and prints its answers as one line of JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    command, calls = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        found = [await client.call_tool(name, arguments) for name, arguments in calls]
        answers = [{"text": one.content[0].text, "error": bool(one.is_error)} for one in found]
        print(json.dumps({"version": client.protocol_version, "tools": [tool.name for tool in tools], "answers": answers}))


asyncio.run(main())
