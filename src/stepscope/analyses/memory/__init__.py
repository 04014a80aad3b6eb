"""What was held in each memory, by whom, how it grows, and why a request failed."""
