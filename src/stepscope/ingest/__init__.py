"""Drives sources through formats into the store: the first load, following what grows, and the report of what was skipped."""
