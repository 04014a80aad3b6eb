"""The Query tab: SQL over everything that is loaded."""
