"""The papers' own settings, where they are not ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

import isthmus
from conftest import Toy, build
from isthmus.bench import load_table
from isthmus.bench.plan import Plan
from isthmus.bench.tasks import TABLES
from isthmus.datasets.reuters import load_reuters_halves
from isthmus.solvers.factorization import random_start
from test_data import STORY, write_tar
from test_domtrans_nmf import expression, labeled_mask


def printed_tcl(
    X: list[Any], V: list[np.ndarray], U: np.ndarray, W: list[np.ndarray], H: np.ndarray, a: float, n_iter: int
) -> list[np.ndarray]:
    """Eq. 5 to 8 as they stand, documents in rows, then all normalizations."""
    for _ in range(n_iter):

        def P() -> list[np.ndarray]:
            return [a * U + (1 - a) * own for own in W]  # noqa: B023

        up = sum(x.T @ v @ H.T for x, v in zip(X, V, strict=True))
        U = U * up / sum(p @ H @ v.T @ v @ H.T for p, v in zip(P(), V, strict=True))
        for d, (x, v) in enumerate(zip(X, V, strict=True)):
            W[d] = W[d] * (x.T @ v @ H.T) / (P()[d] @ H @ v.T @ v @ H.T)
        for d, x in enumerate(X):
            M = P()[d] @ H
            V[d] = V[d] * (x @ M) / (V[d] @ M.T @ M)
        up = sum(p.T @ (x.T @ v) for p, x, v in zip(P(), X, V, strict=True))
        H = H * up / sum(p.T @ p @ H @ v.T @ v for p, v in zip(P(), V, strict=True))
        U, W = U / U.sum(axis=0), [own / own.sum(axis=0) for own in W]
        V = [own / own.sum(axis=1, keepdims=True) for own in V]
    return V


@pytest.mark.usefixtures("exact_logistic")
def test_tcl_as_printed_is_equations_5_to_8(toy: Toy) -> None:
    order = np.argsort(toy.domain, kind="stable")
    X, y, domain = toy.X[order], toy.y[order], toy.domain[order]
    model = isthmus.TCL(n_topics=5, common_weight=0.6, as_printed=True, random_state=3, max_iter=15, tol=0)
    model.fit(X, y, sample_domain=domain, target_domain="target")
    source = domain == "source"
    _, numbers = np.unique(y[source], return_inverse=True)
    lr = LogisticRegression(C=100, solver="newton-cg", tol=1e-10, max_iter=1000).fit(X[source], numbers)
    rng = check_random_state(3)
    words = [random_start(rng, (X.shape[1], 5), X.dtype) for _ in range(3)]
    U, *W = (factor / factor.sum(axis=0) for factor in words)
    V = [np.eye(2)[numbers], lr.predict_proba(X[~source])]
    _, expected = printed_tcl([X[source], X[~source]], V, U, W, rng.uniform(size=(5, 2)), 0.6, 15)
    assert model.label_distributions_[~source] == pytest.approx(expected, abs=1e-6)
    ours = model.set_params(as_printed=False).fit(X, y, sample_domain=domain, target_domain="target")
    assert np.abs(ours.label_distributions_[~source] - expected).max() > 1e-3


def test_cci_without_correspondence_is_the_limit_of_little_of_it(toy: Toy) -> None:
    none, little, some = (
        toy.fit(build("CCI", correspondence_weight=weight, max_iter=30)) for weight in (0, 1e-13, 1.0)
    )
    assert none.word_clusters_ == pytest.approx(little.word_clusters_, abs=1e-8)
    assert np.abs(none.word_clusters_ - some.word_clusters_).max() > 1e-4
    (weights,) = none.correspondences_.values()
    assert np.ptp(weights) == 0  # S_w stays where it starts


def test_cci_without_the_targets_documents_is_k_means(toy: Toy) -> None:
    for weight in (0.0, 1.0):
        model = toy.fit(build("CCI", target_weight=0, correspondence_weight=weight))
        baseline = toy.fit(build("KMeans"))
        assert np.array_equal(model.transduction_, baseline.transduction_)


def test_dtlm_may_start_at_random(toy: Toy) -> None:
    models = [toy.fit(build("DTLM", start="random", random_state=seed)) for seed in (0, 1)]
    again = toy.fit(build("DTLM", start="random", random_state=0))
    assert np.array_equal(models[0].label_distributions_, again.label_distributions_)
    assert not np.allclose(models[0].label_distributions_, models[1].label_distributions_, atol=1e-3)
    assert np.array_equal(models[0].transduction_[~toy.in_target], toy.y[~toy.in_target])


def test_domtrans_nmf_with_the_w_of_algorithm_1() -> None:
    toy = expression()
    about: dict[str, Any] = {
        "sample_domain": toy.domain,
        "target_domain": "target",
        "sample_labeled": labeled_mask(toy),
    }
    ours, printed = (
        isthmus.DomTransNMF(n_topics=5, refit=refit, random_state=0).fit(toy.X, toy.y, **about)
        for refit in (True, False)
    )
    assert np.array_equal(ours.bases_, printed.bases_)  # what comes after the iterations differs, and nothing before
    assert not np.allclose(ours.coefficients_, printed.coefficients_)


@pytest.mark.parametrize("name", TABLES)
def test_every_variant_can_be_built(name: str) -> None:
    table = load_table(name)
    for task in table.tasks:
        for column in (*table.columns, *table.variants):
            plan = Plan.of(column, table.params(task, column), table.metric_of(task))
            plan.estimator(0).check_parameters()
            assert plan.text in ("", *table.preparations)


def test_a_column_may_read_its_texts_otherwise() -> None:
    table = load_table("cdsc")
    assert table.prepared("stems").text["20news"] == {**table.text["20news"], "stemmer": "porter"}
    assert table.prepared("").text == table.text


def test_reuters_stories_by_halves_of_their_tags(tmp_path: Path) -> None:
    def story(orgs: str, people: str, places: str) -> bytes:
        tags = {b"ORGS": orgs, b"PEOPLE": people, b"PLACES": places}
        text = STORY
        for tag, names in tags.items():
            begin, end = text.index(b"<" + tag + b">") + len(tag) + 2, text.index(b"</" + tag + b">")
            text = text[:begin] + b"".join(b"<D>%s</D>" % name.encode() for name in names.split()) + text[end:]
        return text

    stories = [
        story("ec", "", "uk"),
        story("ec", "", "uk"),
        story("opec", "", ""),
        story("opec ec", "kohl", "usa"),  # of the USA: out
        story("", "kohl", "japan uk"),
        story("", "", ""),  # of nothing: out
    ]
    write_tar(tmp_path / "reuters21578.tar.gz", {"reut2-000.sgm": b"\n".join(stories)})
    assert load_reuters_halves(tmp_path).groups.tolist() == ["a-a", "a-a", "b--", "-ax"]
