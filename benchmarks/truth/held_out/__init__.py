"""A set of trainings that nobody has looked at: drawn from a seed, measured once per release, published whatever it says."""
