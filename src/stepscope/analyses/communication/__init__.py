"""Collectives of one session: what ties ranks, who waits for whom, and in what they differ."""
