"""Records, with the real TensorFlow, a function called a hundred times and a single training step; prints where they are."""
# pyright: reportMissingImports=false

import json
import sys

import tensorflow as tf

folder = sys.argv[1]


@tf.function
def my_function(data: tf.Tensor) -> tf.Tensor:
    return tf.nn.softmax(tf.linalg.matmul(data, data, transpose_a=True))


data = tf.random.normal((300, 100))
tf.profiler.experimental.start(f"{folder}/calls")
for _ in range(100):
    my_function(data)
tf.profiler.experimental.stop()

model = tf.keras.Sequential([tf.keras.Input((784,)), tf.keras.layers.Dense(10, "relu"), tf.keras.layers.Dense(10, "softmax")])
model.compile(optimizer="adam", loss="categorical_crossentropy")
inputs, labels = tf.random.normal((1, 784)), tf.random.normal((1, 10))
tf.profiler.experimental.start(f"{folder}/single")
model.train_on_batch(inputs, labels)
tf.profiler.experimental.stop()
print(json.dumps({"calls": f"{folder}/calls", "single": f"{folder}/single"}))
