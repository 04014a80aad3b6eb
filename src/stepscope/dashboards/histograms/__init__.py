"""The Histograms part of Media: how values are distributed, at every step."""
