"""The Custom scalars tab: charts of several tags, laid out by the training script or on the page."""
