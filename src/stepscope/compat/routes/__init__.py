"""TensorBoard's routes, a file for each of its plugins."""
