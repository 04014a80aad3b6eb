"""What one session says as a whole: its summary over ranks, how their steps differ, and how good the data is."""
