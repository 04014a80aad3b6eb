"""The one threshold of all rules: what a change must gain, and in how many steps its pattern must hold."""

from __future__ import annotations

FIRES = 0.03
"""Share of a typical step that a change must gain."""
JUDGED_AT = 0.25
"""How far from the low to the high end of a predicted gain it is judged: measured gains lie nearer to the high end."""
NOTES = 0.01
HOLDS = 0.6
"""Share of typical steps."""
