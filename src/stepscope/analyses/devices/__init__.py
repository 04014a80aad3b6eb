"""What a device can do at most, and how full its multiprocessors are."""
