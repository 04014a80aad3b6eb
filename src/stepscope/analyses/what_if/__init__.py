"""How long a step would take after a change: replays, levers, ranges and the critical path."""
