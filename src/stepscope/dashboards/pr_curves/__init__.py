"""The PR curves part of Media: precision and recall at every threshold, at any step."""
