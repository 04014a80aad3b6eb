"""Embeddings of runs: opened, reduced to two or three dimensions, and measured."""
