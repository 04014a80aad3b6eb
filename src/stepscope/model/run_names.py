"""How near two runs are by their names: a profile may lie in another folder than the logs of the same training."""

from __future__ import annotations

FAR = 9
"""How far apart runs are that have nothing to do with each other."""


def distance(home: str, other: str) -> int:
    """0 for the same run, 1 for one inside `home`, 2 for one around it, 3 for its neighbour in a folder, else FAR."""
    mine, theirs = _folders(home), _folders(other)
    if mine == theirs:
        return 0
    if theirs[: len(mine)] == mine:
        return 1
    if mine[: len(theirs)] == theirs:
        return 2
    return 3 if len(mine) > 1 and mine[:-1] == theirs[:-1] else FAR


def _folders(name: str) -> list[str]:
    return [] if name == "." else name.split("/")
