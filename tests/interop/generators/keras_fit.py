"""Trains a small Keras 3 model with its TensorBoard callback: epoch and batch losses, train and validation folders."""

import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import numpy as np

if __name__ == "__main__":
    keras.utils.set_random_seed(7)
    random = np.random.default_rng(7)
    inputs = random.normal(size=(128, 4)).astype("float32")
    targets = (inputs.sum(axis=1, keepdims=True) > 0).astype("float32")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    callback = keras.callbacks.TensorBoard(sys.argv[1], update_freq=2, histogram_freq=1, write_graph=True)
    model.fit(inputs, targets, batch_size=16, epochs=4, validation_split=0.25, callbacks=[callback], verbose=0)
