"""The one threshold of all rules: what a change must gain, and in how many steps its pattern must hold."""

from __future__ import annotations

FIRES = 0.03
"""Share of a typical step, at the low end of what is predicted."""
NOTES = 0.01
HOLDS = 0.6
"""Share of typical steps."""
