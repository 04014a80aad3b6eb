"""Why operations of a graph or trace have no time or memory in a profile."""
