"""The HTTP server: routes, guards, live updates and the page's files."""
