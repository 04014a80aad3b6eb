"""Words and numbers of the report as one HTML file: escaped, with the units and digits that the page has."""

from __future__ import annotations

from html import escape

from stepscope.session.report.ranks import RankRow

GROUP_LABELS = {
    "compute": "Compute",
    "communication": "Communication",
    "copy": "Copy",
    "input_wait": "Input wait",
    "host": "Host",
    "untraced": "Untraced",
}
LONGEST_TEXT = 2_000
"""Letters of one name or sentence; kernels may be called by whole pages of template arguments."""
_THIN = "\u202f"
_SPACES = "\u00a0\u2009\u202f"
_UNITS = ((1e3, "s"), (1.0, "ms"), (1e-3, "µs"), (1e-6, "ns"))


def words(text: str, *, lines: bool = False) -> str:
    """Text from a recording for any place in HTML: escaped, cut, and with letters that move others shown as escapes."""
    cut = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    kept = _SPACES + "\n" if lines else _SPACES
    shown = "".join(letter if letter.isprintable() or letter in kept else _escape(letter) for letter in cut)
    return escape(shown, quote=True)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def time_text(ms: float) -> str:
    """Three digits and the unit that fits."""
    if ms <= 0:
        return "0"
    size, unit = next(((size, unit) for size, unit in _UNITS if ms >= size * 0.9995), _UNITS[-1])
    return f"{_digits(ms / size)}{_THIN}{unit}"


def time_range(low: float, high: float) -> str:
    """`7–9 ms`; one time where both read the same."""
    least, most = time_text(low), time_text(high)
    if least == most:
        return least
    number, _, unit = least.partition(_THIN)
    return f"{number}–{most}" if most.endswith(f"{_THIN}{unit}") else f"{least}–{most}"


def share_text(share: float) -> str:
    """Percent; what is not nothing never reads as 0."""
    if share <= 0:
        return "0%"
    percent = 100 * share
    if percent < 0.05:
        return "under 0.1%"
    return f"{percent:.0f}%" if percent >= 10 else f"{percent:.1f}".removesuffix(".0") + "%"


def rank_label(rank: RankRow) -> str:
    """What a rank is called: its worker, and its number where the name does not hold it."""
    return rank.worker if rank.rank is None or str(rank.rank) in rank.worker else f"{rank.worker} (rank {rank.rank})"


def _digits(number: float) -> str:
    text = f"{number:.3g}"
    return f"{number:,.0f}" if "e" in text else text
