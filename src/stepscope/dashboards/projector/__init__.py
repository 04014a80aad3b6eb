"""Embeddings in two and three dimensions."""
