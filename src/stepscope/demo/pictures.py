"""What the demo shows of its network beside numbers: a map, a table, a cloud of points and a tone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stepscope.demo.network import Network
from stepscope.demo.spirals import ARMS

TONE_RATE = 8_000
_TONE_SECONDS = 0.4
_LOWEST_HZ, _HIGHEST_HZ = 110.0, 880.0
_MAP_PIXELS = 72
_MAP_REACH = 1.2
_ARM_COLOURS = ((36, 92, 254), (239, 106, 0), (11, 138, 103))


def decision_map(network: Network) -> NDArray[np.uint8]:
    """The plane as an image of (channels, height, width), coloured by the arm that each place is taken to belong to."""
    line = np.linspace(-_MAP_REACH, _MAP_REACH, _MAP_PIXELS)
    across, down = np.meshgrid(line, -line)
    shares = network.shares(np.stack([across.ravel(), down.ravel()], axis=1))
    colours = shares @ np.array(_ARM_COLOURS, np.float64)
    return colours.T.reshape(3, _MAP_PIXELS, _MAP_PIXELS).astype(np.uint8)


def confusion_table(shares: NDArray[np.float64], arms: NDArray[np.int64]) -> str:
    """How often points of each arm are taken for each, as a Markdown table."""
    taken = shares.argmax(axis=1)
    names = [f"arm {arm + 1}" for arm in range(ARMS)]
    head = f"| | {' | '.join(f'taken for {name}' for name in names)} |\n|---|{'---|' * ARMS}"
    rows = [
        f"| **{names[arm]}** | {' | '.join(str(int(np.count_nonzero(taken[arms == arm] == other))) for other in range(ARMS))} |"
        for arm in range(ARMS)
    ]
    right = float((taken == arms).mean())
    return "\n".join([head, *rows, "", f"{right:.1%} of the points are taken for what they are."])


def share_cloud(
    places: NDArray[np.float64], shares: NDArray[np.float64], arms: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """The points as high as the share of their own arm, coloured by it: when all is learnt, all are at the top."""
    height = shares[np.arange(len(arms)), arms]
    points = np.stack([places[:, 0], height, places[:, 1]], axis=1).astype(np.float32)
    return points[None], np.array(_ARM_COLOURS, np.uint8)[arms][None]


def tone_of(loss: float) -> NDArray[np.float32]:
    """A tone that falls as the loss does."""
    share = 1.0 - np.exp(-max(0.0, loss))
    hertz = _LOWEST_HZ * (_HIGHEST_HZ / _LOWEST_HZ) ** share
    time = np.arange(round(TONE_RATE * _TONE_SECONDS)) / TONE_RATE
    fade = np.minimum(1.0, np.minimum(time, time[::-1]) * 50)
    return (0.5 * fade * np.sin(2 * np.pi * hertz * time)).astype(np.float32)[None]
