"""What prepares batches, and how long a step waits for them."""
