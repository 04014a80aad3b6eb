"""Pure functions from profiles to answers: steps, breakdown, operations, kernels, transfers, data quality."""
