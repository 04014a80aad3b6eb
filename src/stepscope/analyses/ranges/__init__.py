"""A chosen range of steps or time, as profiles of their own on which every other analysis runs."""
