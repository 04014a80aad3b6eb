"""Where work stands under a device's roofline: what it achieves, of what its arithmetic per byte allows."""

from __future__ import annotations

from dataclasses import dataclass

_SECOND = 1e9


@dataclass(frozen=True, slots=True)
class RooflinePosition:
    """Work in sum with the time it took, and the device's peaks; None is unknown."""

    flops: float | None = None
    flops_ns: int = 0
    flops_from: str = ""  # "recorded", "HLO", "shapes", or "" when unknown
    bytes: float | None = None
    bytes_ns: int = 0
    bytes_from: str = ""
    peak_flops: float | None = None  # a second, in the work's number format
    peak_bandwidth: float | None = None
    peaks_from: str = ""

    @property
    def flops_per_second(self) -> float | None:
        """Achieved."""
        return _rate(self.flops, self.flops_ns)

    @property
    def bytes_per_second(self) -> float | None:
        """Achieved."""
        return _rate(self.bytes, self.bytes_ns)

    @property
    def intensity(self) -> float | None:
        """FLOPs per byte."""
        return self.flops / self.bytes if self.flops is not None and self.bytes else None

    @property
    def ridge(self) -> float | None:
        """FLOPs per byte from which on arithmetic, and no longer memory, is the lower roof."""
        return self.peak_flops / self.peak_bandwidth if self.peak_flops and self.peak_bandwidth else None

    @property
    def flops_share(self) -> float | None:
        """Of the arithmetic peak; no arithmetic is no share of any."""
        return 0.0 if self.flops == 0 else _share(self.flops_per_second, self.peak_flops)

    @property
    def bandwidth_share(self) -> float | None:
        """Of the memory's bandwidth."""
        return _share(self.bytes_per_second, self.peak_bandwidth)

    @property
    def bound_by(self) -> str | None:
        """Which roof is lower at its intensity: "compute" or "memory"; None when one of them is unknown."""
        if self.flops_share is None or self.bandwidth_share is None:
            return None
        return "compute" if self.flops_share >= self.bandwidth_share else "memory"

    @property
    def roof_share(self) -> float | None:
        """Achieved of what the lower roof allows at its intensity; None when one of the roofs is unknown."""
        if self.flops_share is None or self.bandwidth_share is None:
            return None
        return max(self.flops_share, self.bandwidth_share)


def _rate(amount: float | None, nanoseconds: int) -> float | None:
    return amount / nanoseconds * _SECOND if amount is not None and nanoseconds > 0 else None


def _share(rate: float | None, peak: float | None) -> float | None:
    return rate / peak if rate is not None and peak else None
