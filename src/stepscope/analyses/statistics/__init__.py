"""Views of tf.profiler: costs of nodes by operation, name scope, data flow and Python call."""
