"""The demo's training: a small network in NumPy that really learns, so that every curve on the page is computed."""
