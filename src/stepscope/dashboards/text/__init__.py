"""Logged text: at every step, as Markdown or as it is, with search over all steps."""
