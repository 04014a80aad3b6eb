"""A small convolutional network in NumPy: forward pass, gradients written out, and gradient descent with momentum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope import op
from stepscope.demo.tones import BANDS, FRAMES, Array, Batch, Halves, Labels

KERNEL = 7
EMBEDDING = 32
_INITIAL = 0.4  # Small, so that what is learned soon outweighs it in the pictures of the filters.
_ROWS, _COLUMNS = (BANDS - KERNEL + 1) // 2, (FRAMES - KERNEL + 1) // 2  # after pooling

Parameters = dict[str, Array]


@dataclass(frozen=True, slots=True)
class Activations:
    """What each layer made of a batch; the backward pass needs all of it."""

    patches: Array
    convolved: Array
    pooled: Array
    features: Array
    embedding: Array
    logits: Array

    @property
    def probabilities(self) -> Array:
        """Softmax of the logits; each row sums to 1."""
        powers = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class Network:
    """Convolution, ReLU and max pooling, then two linear layers with a tanh between them."""

    def __init__(self, filters: int, classes: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.filters = filters
        self.parameters: Parameters = {}
        inputs = _ROWS * _COLUMNS * filters
        for layer, fan_in, fan_out in (("conv", KERNEL**2, filters), ("hidden", inputs, EMBEDDING), ("output", EMBEDDING, classes)):
            weight = random.normal(0.0, _INITIAL * fan_in**-0.5, (fan_in, fan_out))
            self.parameters[f"{layer}/weight"] = weight.astype(np.float32)
            self.parameters[f"{layer}/bias"] = np.zeros(fan_out, np.float32)
        self._velocities = {name: np.zeros_like(values) for name, values in self.parameters.items()}

    def forward(self, spectrograms: Halves) -> Activations:
        """What the network makes of spectrograms (n, bands, frames)."""
        parameters, count = self.parameters, len(spectrograms)
        with op("conv2d"):
            numbers = spectrograms.astype(parameters["conv/weight"].dtype)
            windows = np.lib.stride_tricks.sliding_window_view(numbers, (KERNEL, KERNEL), (1, 2))
            patches = windows.reshape(-1, KERNEL**2)
            convolved = patches @ parameters["conv/weight"] + parameters["conv/bias"]
        with op("max_pool2d"):
            convolved = convolved.reshape(count, _ROWS, 2, _COLUMNS, 2, self.filters)
            pooled = convolved.max(axis=(2, 4))
        with op("relu"):
            features = np.maximum(pooled, 0).reshape(count, -1)
        with op("linear"):
            embedding = np.tanh(features @ parameters["hidden/weight"] + parameters["hidden/bias"])
        with op("linear"):
            logits = embedding @ parameters["output/weight"] + parameters["output/bias"]
        return Activations(patches, convolved, pooled, features, embedding, logits)

    def backward(self, seen: Activations, labels: Labels) -> Parameters:
        """The gradient of the mean loss for each parameter."""
        parameters, count = self.parameters, len(labels)
        with op("cross_entropy_backward"):
            error = seen.probabilities
            error[np.arange(count), labels] -= 1
            error /= count
        with op("linear_backward"):
            output = _linear_gradients("output", seen.embedding, error)
            error = (error @ parameters["output/weight"].T) * (1 - seen.embedding**2)
        with op("linear_backward"):
            hidden = _linear_gradients("hidden", seen.features, error)
            error = (error @ parameters["hidden/weight"].T).reshape(seen.pooled.shape)
        with op("max_pool2d_backward"):
            passed = (error * (seen.pooled > 0))[:, :, None, :, None]
            error = np.where(seen.convolved == seen.pooled[:, :, None, :, None], passed, 0).reshape(-1, self.filters)
        with op("conv2d_backward"):
            conv = _linear_gradients("conv", seen.patches, error)
        return {**conv, **hidden, **output}

    def descend(self, gradients: Parameters, learning_rate: float, momentum: float = 0.9) -> None:
        """One step of stochastic gradient descent."""
        for name, velocity in self._velocities.items():
            with op("sgd"):
                velocity *= momentum
                velocity -= learning_rate * gradients[name]
                self.parameters[name] += velocity

    def save(self, path: str) -> None:
        """Writes the parameters to an .npz file."""
        np.savez(path, allow_pickle=False, **self.parameters)


def cross_entropy(probabilities: Array, labels: Labels) -> float:
    """The mean loss."""
    return float(-np.log(probabilities[np.arange(len(labels)), labels] + 1e-12).mean())


def accuracy(probabilities: Array, labels: Labels) -> float:
    """The share of right answers."""
    return float((probabilities.argmax(axis=1) == labels).mean())


def loss_of(network: Network, batch: Batch) -> float:
    """The loss of a batch, without learning from it."""
    return cross_entropy(network.forward(batch.spectrograms).probabilities, batch.labels)


def _linear_gradients(layer: str, entering: Array, error: Array) -> Parameters:
    return {f"{layer}/weight": entering.T @ error, f"{layer}/bias": error.sum(axis=0)}
