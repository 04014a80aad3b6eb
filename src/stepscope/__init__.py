"""Stepscope: see what training does, why it is slow, and what to change."""

__version__ = "0.1.0"
