"""Long work in the background: jobs with progress and cancel, and the one queue that runs them."""
