"""Numbers as sentences have them."""

from __future__ import annotations

_THOUSAND = 999.5
"""From here on three digits would need an exponent."""


def three_digits(number: float) -> str:
    """`0.25`, `12.5`, `1,080`: three digits, and all of a large number."""
    return f"{number:,.0f}" if abs(number) >= _THOUSAND else f"{number:.3g}"
