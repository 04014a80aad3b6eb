"""How much is done in a second: batch sizes, rates and epochs."""
