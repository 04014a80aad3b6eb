"""Hyperparameters and metrics of all runs as one table."""
