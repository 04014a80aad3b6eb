"""Whether advice is true: real trainings with one cause of slowness each, before and after it is taken away."""
