"""What the server and the process that reduces say to each other; numbers are behind the messages."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Method = Literal["tsne", "umap"]


class Task(Struct, frozen=True):
    """One reduction. The vectors follow, then the labels if there are any, then the positions to start from if there are any."""

    method: Method
    points: int
    dimensions: int
    components: int
    seed: int = 0
    perplexity: float = 30.0
    learning_rate: float | None = None
    """None: the number of points divided by 12, as openTSNE's authors advise."""
    first: int = 0
    """Iterations that are done already, when it goes on from positions."""
    last: int = 1_000
    neighbours: int = 15
    min_dist: float = 0.1
    supervision: float = 0.0
    """0 ignores the labels, 1 looks at nothing but them."""
    has_labels: bool = False
    has_start: bool = False


class Said(Struct, frozen=True):
    """How far a reduction is, or that it is done or has failed. Positions may follow, points × components."""

    state: Literal["running", "done", "failed"]
    done: int = 0
    total: int | None = None
    words: str = ""
