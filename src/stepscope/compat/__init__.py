"""TensorBoard's HTTP routes and reader API on top of the same queries that Stepscope's own page uses."""
