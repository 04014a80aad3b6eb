"""The tab HParams: hyperparameters and metrics of all runs."""
