"""The trace of one profile as a picture: its tracks, its spans at any zoom, search, selected areas, and links between spans."""
