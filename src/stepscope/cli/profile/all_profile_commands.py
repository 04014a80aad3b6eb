"""The list of verbs of `stepscope profile`, in the order the help shows them. Each is a module here with a command named `command`."""

from __future__ import annotations

ALL_PROFILE_COMMANDS: dict[str, str] = {
    "report": "Summarize where step time goes.",
    "steps": "List steps with the time breakdown of each.",
    "ops": "List operations of the host and the devices.",
    "graph": "List nodes of the graph with their time and memory.",
    "scope": "Show time, memory, parameters and FLOPs by name scope.",
    "code": "Show time, memory, parameters and FLOPs by line of code.",
    "coverage": "Explain which operations have no time or memory.",
    "kernels": "List GPU kernels.",
    "roofline": "Compare operations with the limits of the device.",
    "hlo": "List operations of compiled XLA programs.",
    "modules": "Show the model's module tree with forward and backward time.",
    "memory": "Show memory by owner and whether it grows.",
    "input": "Explain why steps wait for input.",
    "host": "Show host work around operations.",
    "transfers": "List memory copies and their bandwidth.",
    "counters": "Show sampled counters.",
    "communication": "Show communication between ranks and find the slowest rank.",
    "path": "Show the critical path of a step.",
    "inference": "Show request latency and explain it.",
    "throughput": "Show throughput and the time breakdown of epochs.",
    "whatif": "Estimate step time after a change.",
    "compare": "Compare two profiles.",
    "trend": "Plot several profiles over a hyperparameter or over the run.",
    "kinds": "List span categories and show where to add your own.",
    "export": "Export a profile for Perfetto, Chrome or speedscope.",
}
"""Verb to the line the help shows for it: the help must not import every verb."""
