"""The numbers of the projector have known answers: components (pca), neighbours, class_scores, alignment and point_columns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from stepscope.embeddings import class_scores as scoring
from stepscope.embeddings import pca
from stepscope.embeddings.alignment import aligned
from stepscope.embeddings.class_scores import class_scores
from stepscope.embeddings.neighbours import Metric, neighbours_of, unit_rows
from stepscope.embeddings.pca import principal_components
from stepscope.embeddings.point_columns import point_column


def blob(points: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    """Points that spread less along each further dimension."""
    random = np.random.default_rng(seed)
    return (random.normal(size=(points, dimensions)) * 0.7 ** np.arange(dimensions) + 5).astype(np.float32)


@pytest.mark.parametrize("shape", [(200, 8), (8, 200), (5, 5), (1, 4), (300, 2)])
def test_components_are_those_of_the_singular_values(shape: tuple[int, int]) -> None:
    values = blob(*shape)
    found = principal_components(values)
    centred = values - values.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    count = found.positions.shape[1]
    assert count == min(10, *shape)
    assert np.allclose(np.abs(found.positions), np.abs(left * sizes)[:, :count], atol=2e-3)
    assert np.allclose(found.variance, (sizes**2 / max((sizes**2).sum(), 1e-30))[:count], atol=1e-4)
    assert found.is_exact


def test_a_line_has_one_component_and_a_rule_for_its_sign() -> None:
    line = np.arange(10, dtype=np.float32)[:, None] * np.array([3, 4], np.float32)
    found = principal_components(line)
    assert np.allclose(found.positions[:, 0], (np.arange(10) - 4.5) * 5, atol=1e-4)
    assert np.allclose(found.variance, [1, 0], atol=1e-6)
    assert np.allclose(principal_components(line + 100).positions[:, 0], found.positions[:, 0], atol=1e-2)


def test_points_that_are_all_the_same() -> None:
    found = principal_components(np.ones((4, 3), np.float32))
    assert (found.positions.tolist(), found.variance.tolist()) == ([[0.0] * 3] * 4, [0.0] * 3)


def test_many_points_and_dimensions_are_searched_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    values = blob(400, 60)
    exact = principal_components(values)
    monkeypatch.setattr(pca, "EXACT_SIDE", 10)
    found = principal_components(values)
    assert not found.is_exact
    assert np.allclose(found.variance[:5], exact.variance[:5], rtol=1e-3)
    assert np.allclose(found.positions[:, :3], exact.positions[:, :3], atol=2e-2)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_are_those_of_all_distances(metric: Metric) -> None:
    values = blob(100, 6)
    points, away = neighbours_of(values, 17, 9, metric)
    double = values.astype(np.float64)
    if metric == "cosine":
        units = double / np.linalg.norm(double, axis=1, keepdims=True)
        expected = 1 - units @ units[17]
    else:
        expected = np.linalg.norm(double - double[17], axis=1)
    order = [point for point in np.argsort(expected, kind="stable").tolist() if point != 17][:9]
    assert np.allclose(away, expected[order], atol=1e-5)
    assert points.tolist() == order


def test_neighbours_of_few_points_and_of_equal_ones() -> None:
    assert neighbours_of(np.ones((1, 2), np.float32), 0, 5, "cosine")[0].tolist() == []
    points, away = neighbours_of(np.ones((4, 2), np.float32), 2, 10, "euclidean")
    assert (points.tolist(), away.tolist()) == ([0, 1, 3], [0, 0, 0])
    assert unit_rows(np.array([[0, 0], [3, 4]], np.float32)).tolist() == [[0, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_scores_are_those_of_scikit_learn(metric: Metric) -> None:
    from sklearn.metrics import silhouette_samples
    from sklearn.neighbors import NearestNeighbors

    values = blob(150, 5)
    codes = np.random.default_rng(1).integers(0, 4, 150).astype(np.int32)
    values[codes == 2] += 3
    found = class_scores(values, codes, 4, 7, metric)
    each = np.asarray(silhouette_samples(values, codes, metric=metric))
    near = NearestNeighbors(n_neighbors=8, metric=metric).fit(values).kneighbors(values, return_distance=False)[:, 1:]
    pure = (codes[near] == codes[:, None]).mean(axis=1)
    for one, score in enumerate(found.classes):
        assert score.silhouette == pytest.approx(each[codes == one].mean(), abs=1e-4)
        assert score.purity == pytest.approx(pure[codes == one].mean(), abs=1e-6)
        assert (score.points, score.measured) == ((codes == one).sum(), (codes == one).sum())
    assert found.total.silhouette == pytest.approx(each.mean(), abs=1e-4)


def test_classes_of_one_point_and_points_without_a_class() -> None:
    values = np.array([[0], [1], [10], [11], [50]], np.float32)
    found = class_scores(values, np.array([0, 0, 1, -1, 2], np.int32), 3, 1, "euclidean")
    assert [(score.points, score.purity) for score in found.classes] == [(2, 1.0), (1, 0.0), (1, 0.0)]
    assert [score.silhouette for score in found.classes[1:]] == [0.0, 0.0]
    alone = class_scores(values, np.zeros(5, np.int32), 1, 2, "euclidean")
    assert (alone.total.purity, alone.total.silhouette) == (1.0, None)


def test_scores_of_many_points_are_of_a_share_of_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MOST_QUERIES", 100)
    codes = np.array([0] * 900 + [1] * 99 + [2], np.int32)
    values = blob(1000, 3) + codes[:, None] * 50
    found = class_scores(values.astype(np.float32), codes, 3, 5, "euclidean")
    assert 100 <= found.total.measured <= 102
    assert [score.measured > 0 for score in found.classes] == [True] * 3
    assert found.classes[0].purity == 1.0


@pytest.mark.parametrize("mirror", [1, -1])
def test_a_rotated_layout_is_rotated_back(mirror: int) -> None:
    reference = blob(50, 3)
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0] * np.array([1, 1, mirror])
    moved = (reference @ turn + 7).astype(np.float32)
    assert np.allclose(aligned(moved, reference), reference, atol=1e-3)
    assert np.allclose(np.ptp(aligned(moved * 2, reference), axis=0), 2 * np.ptp(reference, axis=0), rtol=1e-2)


def test_columns_are_classes_numbers_or_texts() -> None:
    few = point_column("kind", ["b", "a", "b", ""])
    assert (few.kind, few.classes, few.codes.tolist(), few.numbers) == ("classes", ("b", "", "a"), [0, 2, 0, 1], None)
    numbers = point_column("n", ["1.5", "", "-2e3"])
    assert numbers.numbers is not None
    assert np.array_equal(numbers.numbers, [1.5, np.nan, -2000], equal_nan=True)
    for odd in (["nan"], ["1_000"], ["inf"], [""]):
        assert point_column("odd", odd).numbers is None
    many = point_column("id", [f"p{n}" for n in range(3000)])
    assert (many.kind, many.classes, len(many.texts)) == ("texts", (), 3000)
