"""Recordings side by side: two of them, or several along one quantity, and what is more than noise."""
