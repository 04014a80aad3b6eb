"""The profilers that a capture runs, one file per framework, and the choice among them."""
