"""How often each rule came first and was right on real trainings with a known cause; benchmarks/truth/proof.py writes it."""

from __future__ import annotations

REAL = {
    "checkpoint_blocking": (4, 2),
    "eager_loop": (3, 3),
    "host_bound": (1, 5),
    "input_bound": (7, 6),
    "layout_round_trips": (0, 2),
    "memory_growth": (1, 0),
    "python_between_ops": (2, 12),
    "recompile": (2, 3),
    "stage_not_parallel": (1, 0),
    "sync_inside_step": (1, 2),
    "unfused_optimizer": (1, 0),
}
"""Development pairs, and held-out trainings. Every other rule was tried on drawn traces alone (tests/rules)."""


def trainings(rule: str) -> int:
    """Real trainings of both kinds; 0 for a rule that was tried on drawn traces alone."""
    return sum(REAL.get(rule, (0, 0)))
