"""The demo's network: its gradients are those of its loss, and it learns."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope.demo.network import Network
from stepscope.demo.spirals import ARMS, spirals
from stepscope.demo.training import decision_map, scheduled


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)


def test_the_same_seed_draws_the_same_points(random: np.random.Generator) -> None:
    first, again = spirals(50, random), spirals(50, np.random.default_rng(1))
    np.testing.assert_array_equal(first.places, again.places)
    assert set(first.arms.tolist()) == set(range(ARMS))


def test_gradients_are_slopes_of_the_loss(random: np.random.Generator) -> None:
    points = spirals(20, random)
    network = Network((2, 5, 4, ARMS), random)
    _, gradients = network.gradients(points)
    tiny = 1e-6
    for layer, gradient in zip(network.layers, gradients, strict=True):
        for numbers, slopes in ((layer.weight, gradient.weight), (layer.bias, gradient.bias)):
            for place in np.ndindex(numbers.shape):
                middle = numbers[place]
                numbers[place] = middle + tiny
                above = network.evaluate(points).loss
                numbers[place] = middle - tiny
                below = network.evaluate(points).loss
                numbers[place] = middle
                assert slopes[place] == pytest.approx((above - below) / (2 * tiny), abs=1e-7)


def test_descending_makes_the_loss_smaller(random: np.random.Generator) -> None:
    points = spirals(200, random)
    network = Network((2, 16, ARMS), random)
    before = network.evaluate(points).loss
    for _ in range(100):
        network.descend(network.gradients(points)[1], 0.1)
    assert network.evaluate(points).loss < 0.9 * before


def test_the_schedule_warms_up_and_cools_down() -> None:
    rates = [scheduled(2.0, step / 1000) for step in range(1000)]
    assert rates[0] == pytest.approx(0.2)
    assert max(rates) == pytest.approx(2.0)
    assert rates.index(max(rates)) == 50
    assert rates[-1] == pytest.approx(0.02, rel=0.01)


def test_the_map_has_the_colours_of_the_arms_where_the_network_is_sure(random: np.random.Generator) -> None:
    network = Network((2, ARMS), random)
    network.layers[0].weight[:] = 0.0
    network.layers[0].bias[:] = (0.0, 50.0, 0.0)
    image = decision_map(network)
    assert (image.shape, image.dtype) == ((3, 72, 72), np.uint8)
    assert [set(np.unique(channel).tolist()) for channel in image] == [{239}, {106}, {0}]


def test_the_map_is_the_right_way_up(random: np.random.Generator) -> None:
    network = Network((2, ARMS), random)
    network.layers[0].weight[:] = ((0.0, 0.0, 0.0), (-90.0, 90.0, 0.0))
    image = decision_map(network)
    assert image[0, 0, 0] > 200  # the upper half is the second arm's
    assert image[2, -1, 0] > 200  # the lower half is the first one's
