"""Asks a profiler service what it does with TensorFlow's own client; prints the text as JSON."""
# pyright: reportMissingImports=false

import json
import sys

import tensorflow as tf

if __name__ == "__main__":
    print(json.dumps(tf.profiler.experimental.client.monitor(f"grpc://{sys.argv[1]}", 200, level=1)))
