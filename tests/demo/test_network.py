"""The demo's network: its gradients are those of its loss, and it learns."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from stepscope.demo.network import Network, Parameters, loss_of
from stepscope.demo.tones import NAMES, Batch, Tones
from stepscope.demo.training import scheduled


def some_tones(count: int) -> Batch:
    return Tones(count, seed=1).batch(np.arange(count), np.random.default_rng(2))


def test_gradients_are_slopes_of_the_loss() -> None:
    batch = some_tones(8)
    network = Network(3, len(NAMES), seed=3)
    network.parameters = cast("Parameters", {name: values.astype(np.float64) for name, values in network.parameters.items()})
    gradients = network.backward(network.forward(batch.spectrograms), batch.labels)
    random, tiny = np.random.default_rng(4), 1e-6
    for name, values in network.parameters.items():
        for place in random.choice(values.size, min(values.size, 12), replace=False):
            middle = values.flat[place]
            values.flat[place] = middle + tiny
            above = loss_of(network, batch)
            values.flat[place] = middle - tiny
            below = loss_of(network, batch)
            values.flat[place] = middle
            assert gradients[name].flat[place] == pytest.approx((above - below) / (2 * tiny), abs=1e-6)


@pytest.mark.slow
def test_descending_makes_the_loss_smaller() -> None:
    batch = some_tones(16)
    network = Network(4, len(NAMES), seed=3)
    before = loss_of(network, batch)
    for _ in range(40):
        network.descend(network.backward(network.forward(batch.spectrograms), batch.labels), 0.01)
    assert loss_of(network, batch) < 0.5 * before


def test_the_schedule_warms_up_and_cools_down() -> None:
    rates = [scheduled(2.0, step / 1000) for step in range(1000)]
    assert rates[0] == pytest.approx(0.2)
    assert max(rates) == pytest.approx(2.0)
    assert rates.index(max(rates)) == 50
    assert rates[-1] == pytest.approx(0.02, rel=0.01)
