"""What the host does around operations: Python, tracing, dispatch, threads."""
