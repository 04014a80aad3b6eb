"""Meshes and point clouds at every step, seen from one shared viewpoint."""
