"""A multi-layer perceptron with its gradients written out, and stochastic gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stepscope.demo.spirals import Points

Matrix = NDArray[np.float64]


@dataclass(slots=True)
class Layer:
    """An affine map; also holds gradients and velocities, which have the same shapes."""

    weight: Matrix
    bias: Matrix

    def norm(self) -> float:
        """The Euclidean norm of all its numbers."""
        return float(np.sqrt(np.sum(self.weight**2) + np.sum(self.bias**2)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The mean cross-entropy and the share of points that were told apart rightly."""

    loss: float
    accuracy: float


class Network:
    """Affine maps with tanh between them and softmax at the end."""

    def __init__(self, widths: Sequence[int], random: np.random.Generator) -> None:
        """widths: from the number of inputs to the number of classes."""
        self.layers = [
            Layer(random.normal(0.0, np.sqrt(1.0 / inputs), (inputs, outputs)), np.zeros(outputs))
            for inputs, outputs in pairwise(widths)
        ]
        self._velocities = [Layer(np.zeros_like(layer.weight), np.zeros_like(layer.bias)) for layer in self.layers]

    def evaluate(self, points: Points) -> Outcome:
        """How well it does now, without learning."""
        return self._judge(self._activations(points.places)[-1], points.arms)[0]

    def shares(self, places: Matrix) -> Matrix:
        """How sure it is of each class at the places; a row sums to 1."""
        scores = self._activations(places)[-1]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def gradients(self, points: Points) -> tuple[Outcome, list[Layer]]:
        """How well it does, and the gradient of the loss for each layer."""
        activations = self._activations(points.places)
        outcome, error = self._judge(activations[-1], points.arms)
        gradients: list[Layer] = []
        for layer, entering in zip(reversed(self.layers), reversed(activations[:-1]), strict=True):
            gradients.append(Layer(entering.T @ error, error.sum(axis=0)))
            error = (error @ layer.weight.T) * (1.0 - entering**2)
        return outcome, gradients[::-1]

    def descend(self, gradients: Sequence[Layer], rate: float, momentum: float = 0.9) -> None:
        """One step downhill."""
        for layer, velocity, gradient in zip(self.layers, self._velocities, gradients, strict=True):
            velocity.weight = momentum * velocity.weight - rate * gradient.weight
            velocity.bias = momentum * velocity.bias - rate * gradient.bias
            layer.weight += velocity.weight
            layer.bias += velocity.bias

    def _activations(self, places: Matrix) -> list[Matrix]:
        """What enters each layer, and the scores that leave the last one."""
        entering = [places]
        for layer in self.layers[:-1]:
            entering.append(np.tanh(entering[-1] @ layer.weight + layer.bias))
        return [*entering, entering[-1] @ self.layers[-1].weight + self.layers[-1].bias]

    @staticmethod
    def _judge(scores: Matrix, arms: NDArray[np.int64]) -> tuple[Outcome, Matrix]:
        """The outcome, and the gradient of the mean loss for the scores."""
        rows = np.arange(len(arms))
        shifted = scores - scores.max(axis=1, keepdims=True)
        log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        error = np.exp(log_shares)
        error[rows, arms] -= 1.0
        outcome = Outcome(float(-log_shares[rows, arms].mean()), float((scores.argmax(axis=1) == arms).mean()))
        return outcome, error / len(arms)
