"""Compiled programs as XLA wrote them, joined with what was measured."""
