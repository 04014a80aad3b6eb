"""Graphs of runs: found, opened, and kept while they are looked at."""
