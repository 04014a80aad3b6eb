"""Dashboards: vertical slices of routes, answers and page. They know queries and nothing of HTTP or of each other."""
