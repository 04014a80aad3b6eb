"""The list of verbs of `stepscope profile`, in the order the help shows them. Each is a module here with a command named `command`."""

from __future__ import annotations

ALL_PROFILE_COMMANDS: dict[str, str] = {
    "report": "Say where the time of a step goes, in one page.",
    "steps": "List the steps and the parts of each.",
    "ops": "List the operations of host and devices.",
    "kernels": "List the kernels of the devices.",
    "roofline": "Say what operations achieve of what the device allows.",
    "hlo": "List the operations of compiled XLA programs.",
    "modules": "Show the tree of the model's modules with forward and backward time.",
    "memory": "Say who holds memory, and whether it grows.",
    "input": "Say what steps wait for before they have a batch.",
    "host": "Say what the host does around operations.",
    "transfers": "List the copies between memories.",
    "counters": "Say what sampled counters told.",
    "communication": "Say what ranks send each other and whom they wait for.",
    "path": "Say what the length of a step consists of.",
    "inference": "Say how long requests take, and why.",
    "throughput": "Say how much is done in a second and what epochs consist of.",
    "whatif": "Say how long a step would take after a change.",
    "compare": "Say what got slower from one profile to another.",
    "trend": "Draw several profiles along a hyperparameter or along the run.",
    "kinds": "List what spans are by their names, and where to write your own.",
    "export": "Write a file that Perfetto or Chrome opens.",
}
"""Verb to the line the help shows for it: the help must not import every verb."""
