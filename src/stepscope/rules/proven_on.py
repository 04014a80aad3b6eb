"""How often each rule came first and was right on real trainings with a known cause; benchmarks/truth/proof.py writes it."""

from __future__ import annotations

REAL = {
    "checkpoint_blocking": (4, 0),
    "eager_loop": (3, 2),
    "host_bound": (1, 1),
    "input_bound": (7, 5),
    "memory_growth": (1, 0),
    "python_between_ops": (2, 3),
    "recompile": (2, 1),
    "stage_not_parallel": (1, 0),
    "sync_inside_step": (1, 0),
    "unfused_optimizer": (1, 1),
}
"""Development pairs, and held-out trainings. Every other rule was tried on drawn traces alone (tests/rules)."""


def trainings(rule: str) -> int:
    """Real trainings of both kinds; 0 for a rule that was tried on drawn traces alone."""
    return sum(REAL.get(rule, (0, 0)))
