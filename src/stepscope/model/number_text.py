"""Numbers as sentences and tables have them: a few digits, and never an exponent."""

from __future__ import annotations


def digits(number: float, count: int) -> str:
    """So many digits, and all of a number that has more before its point: `12.52`, `1,080`, `1,500,000` with four."""
    large = abs(number) >= 10**count - 0.5  # From here on the digits would need an exponent.
    return f"{number:,.0f}" if large else f"{number:,.{count}g}"


def three_digits(number: float) -> str:
    """`0.25`, `12.5`, `1,080`."""
    return digits(number, 3)
