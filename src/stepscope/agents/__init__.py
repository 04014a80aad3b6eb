"""The Model Context Protocol: read-only tools with which agents look at runs and profiles."""
