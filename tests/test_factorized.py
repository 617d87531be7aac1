"""Factorizations of one's own: the known methods out of their parts, new ones, and parts that do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import isthmus
from conftest import Toy, build, make_toy
from file_values import assert_same
from isthmus.parts import (
    ColumnsSumToOne,
    Component,
    Draft,
    EqualFactors,
    EqualMeans,
    Frozen,
    LabelRegression,
    NearLabels,
    Neighbors,
    NonNegative,
    Orthogonal,
    Recipe,
    RowsSumToOne,
    Shrinkage,
)
from isthmus.solvers.factorization import Free, Ridge, Term

SMALL: dict[str, Any] = {"n_topics": 4, "max_iter": 60, "random_state": 0}
U, W = Component("U", "H", 0.7), Component("W*", "H", 1 - 0.7)
ORTHOGONAL: dict[str, Any] = {
    "constraints": {"W*": NonNegative(), "V*": NonNegative()},
    "fit_weight": 1.0,
    "fit_scale": "corpus",
    "exponent": 0.5,
}
KNOWN: dict[str, dict[str, Any]] = {
    "NMTF": {},
    "TCL": {"components": (U, W)},
    "DTL": {"components": [Component("U", "H common"), Component("W*", "H")], "n_topics": {"U": 2, "W*": 2}},
    "DTLM": {
        "terms": [
            Neighbors("W*", 0.01, n_neighbors=5),
            Neighbors("V*", 0.01, n_neighbors=5),
            EqualMeans("V*"),
            EqualMeans("W*"),
            LabelRegression(10.0, ridge=10.0),
        ],
        "constraints": {"W*": RowsSumToOne()},
        "fit_weight": 1.0,
        "fit_scale": "length",
        "exponent": 0.5,
    },
    "GCMF": {
        "terms": [Neighbors("W*", 0.2), Neighbors("V*", 0.2), Orthogonal("W*", 2.0), Orthogonal("V*", 2.0)],
        **ORTHOGONAL,
    },
    "DKT": {
        "terms": [EqualFactors("W*"), NearLabels(), Orthogonal("W*", 2.0), Orthogonal("V*", 2.0)],
        "freeze_labels": False,
        **ORTHOGONAL,
    },
}
MADE_UP: dict[str, Any] = {
    "components": (U, W, Component("Z", None, 0.1)),
    "terms": (
        Neighbors("U", 0.02, n_neighbors=3),
        Neighbors("V*", 0.02),
        EqualMeans("W*", 0.5),
        Shrinkage("H", 0.01),
        LabelRegression(0.5, ridge=0.1),
    ),
    "constraints": {"U": NonNegative(), "W*": NonNegative(), "V*": NonNegative()},
    "fit_scale": "length",
    "target_weight": 1.5,
    "exponent": 0.5,
}


def factorized(**params: Any) -> isthmus.Factorized:
    return isthmus.Factorized(**{**SMALL, **params})


def several(toy: Toy) -> dict[str, Any]:
    """The same documents as two sources and two targets, of which some are labeled."""
    half = np.arange(len(toy.y)) % 2
    labeled = ~toy.in_target
    labeled[np.flatnonzero(toy.in_target)[:10]] = True
    return {
        "sample_domain": [f"{domain} {part}" for domain, part in zip(toy.domain, half, strict=True)],
        "target_domain": ["target 0", "target 1"],
        "sample_labeled": labeled,
    }


@pytest.mark.parametrize("name", KNOWN)
def test_known_methods_out_of_their_parts(name: str, toy: Toy, toy_of_three: Toy) -> None:
    for data, changes in ((toy, {}), (toy_of_three, several(toy_of_three))):
        known, own = data.fit(build(name), **changes), data.fit(factorized(**KNOWN[name]), **changes)
        assert np.array_equal(own.label_distributions_, known.label_distributions_)
        assert np.array_equal(own.predict_proba(data.X), known.predict_proba(data.X))
        assert np.array_equal(own.objective_, known.objective_)
        for attribute in ("common_topics_", "domain_topics_", "association_"):
            assert_same(getattr(own, attribute), getattr(known, attribute))
        words = [f"w{i}" for i in range(data.X.shape[1])]
        assert str(own.topics(words)) == str(known.topics(words))


def test_the_targets_weight_is_mtricks(toy: Toy) -> None:
    """All but its start."""
    own = toy.fit(factorized(fit_weight=1.0, target_weight=1.5, max_iter=5))
    total = 0.0
    for domain, weight in (("source", 1.0), ("target", 1.5)):
        here = toy.domain == domain
        rebuilt = own.label_distributions_[here] @ own.profiles_[own.domains_.index(domain)].T
        total += weight * np.sum((toy.X[here].toarray() - rebuilt) ** 2)
    assert own.objective_[-1] == pytest.approx(total)


@pytest.mark.parametrize("seed", range(3))
def test_a_made_up_combination(seed: int) -> None:
    toy = make_toy(seed, n_documents=60)
    model = toy.fit(factorized(**MADE_UP, tol=0))
    assert model.objective_[-1] < model.objective_[0]
    assert np.diff(model.objective_).max() <= 1e-9 * model.objective_[0]
    assert np.mean((model.transduction_ == toy.y)[toy.in_target]) > 0.85
    assert model.coefficients_.shape == (2, 2)
    again = toy.fit(clone(model))
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.label_distributions_, model.label_distributions_)
    # Two classes as topics of their own, after the four of U and W*.
    assert model.association_[4:].tolist() == np.eye(2).tolist()
    assert model.domain_topics_[0][:, 4:].sum() == 0


def test_made_up_parts_in_a_model_file(toy: Toy, tmp_path: Path) -> None:
    every = {
        **MADE_UP,
        "terms": [*MADE_UP["terms"], EqualFactors("W*"), NearLabels(), Orthogonal("W*")],
        "constraints": {"U": Frozen(), "W*": ColumnsSumToOne(), "V*": RowsSumToOne(), "H": NonNegative()},
        "n_topics": {"U": 3, "W*": 3},
    }
    model = toy.fit(factorized(**every))
    isthmus.save(model, tmp_path / "model.isthmus")
    loaded = isthmus.load(tmp_path / "model.isthmus")
    assert_same(loaded.get_params(), model.get_params())
    assert_same(loaded.label_distributions_, model.label_distributions_)
    assert loaded.predict_proba(toy.X).tobytes() == model.predict_proba(toy.X).tobytes()
    assert np.array_equal(toy.fit(clone(loaded)).label_distributions_, model.label_distributions_)


def test_each_term_pulls_where_it_says(toy: Toy) -> None:
    square_root = {"exponent": 0.5, "constraints": {"W*": NonNegative()}}
    plain = toy.fit(factorized(**square_root))

    def gap(model: Any) -> float:
        return float(np.sum((model.domain_topics_[0] - model.domain_topics_[1]) ** 2))

    def mean_gap(model: Any) -> float:
        return float(np.sum(np.subtract(*model.domain_topics_.mean(axis=1)) ** 2))

    def size(model: Any) -> float:
        return float(np.sum(model.association_**2))

    for recipe, measure in (
        (EqualFactors("W*", 100.0), gap),
        (EqualMeans("W*", 1e6), mean_gap),
        (Shrinkage("H", 1.0), size),
    ):
        assert measure(toy.fit(factorized(**square_root, terms=[recipe]))) < measure(plain) / 2
        assert np.array_equal(
            toy.fit(factorized(**square_root, terms=[type(recipe)(recipe.factor, 0.0)])).label_distributions_,
            plain.label_distributions_,
        )


@dataclass(frozen=True)
class SmallWords(Recipe):
    """A recipe that isthmus has not got."""

    weight: float = 1.0

    def terms(self, draft: Draft) -> list[Term]:
        return [Ridge(name, self.weight * len(draft.problem.domains)) for name in draft.moving("W*")]


def test_a_recipe_of_ones_own(toy: Toy, tmp_path: Path) -> None:
    free = {"W*": NonNegative()}
    plain = toy.fit(factorized(constraints=free))
    model = toy.fit(factorized(constraints=free, terms=[SmallWords(10.0)]))
    assert np.sum(model.domain_topics_**2) < np.sum(plain.domain_topics_**2)
    with pytest.raises(ValueError, match=r"A recipe asks for the factor 'W0': give a component that names 'W\*'"):
        toy.fit(factorized(components=[U], terms=[SmallWords()]))
    with pytest.raises(TypeError, match=r"Factorized\.terms\[0\] is of the class .*, which a model file cannot hold"):
        isthmus.save(model, tmp_path / "model.isthmus")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"components": ()}, "components is empty: give at least one"),
        ({"components": ["W*"]}, r"components\[0\] is 'W\*': give an isthmus.parts.Component"),
        ({"components": [Component("W*", "H", -1.0)]}, "with weight -1.0: give a weight that is zero or larger"),
        ({"components": [Component("W0", "H")]}, "a factor named 'W0': use letters, and a star at the end or none"),
        ({"components": [Component("*W", "H")]}, r"a factor named '\*W': use letters"),
        ({"components": [Component("V*", "H")]}, r"'V\*' is taken: .* Choose another name"),
        ({"components": [Component("W*", "A")]}, "'A' is taken"),
        ({"components": [Component("W*", "W*")]}, r"'W\*' is a factor over words and an association: give two names"),
        ({"components": [W, Component("W*")]}, r"'W\*' has an association in one component and none in another"),
        ({"constraints": {"U": NonNegative()}}, r"constraints names 'U', which is no factor: .* 'H', 'V\*', 'W\*'"),
        ({"constraints": {"H": 3}}, r"constraints\['H'\] is 3: give one of isthmus.parts"),
        ({"constraints": {"H": Free()}}, "The factor 'H' is free, but Reconstruction has no method `quadratic`"),
        ({"terms": [Ridge("H")]}, r"terms\[0\] is Ridge\(.*: give one of isthmus.parts"),
        ({"terms": [Neighbors("U")]}, r"terms\[0\] is Neighbors\(factor='U'.*: choose its factor from 'V\*', 'W\*'"),
        ({"terms": [Neighbors("H")]}, r"choose its factor from 'V\*', 'W\*'"),
        ({"terms": [EqualFactors("V*")]}, r"choose its factor from 'W\*'"),
        ({"components": [U], "terms": [EqualFactors("U")]}, "which cannot be: no component has such a factor"),
        ({"terms": [Orthogonal("W*")]}, r"exponent is 1.0: the objective could rise. Give exponent=0.5"),
        ({"terms": [NearLabels(), NearLabels(2.0)]}, r"terms\[1\] is NearLabels\(weight=2.0\), the second of its kind"),
        ({"n_topics": {"U": 3}}, r"n_topics names 'U': give a number for each of 'W\*'"),
        ({"n_topics": {"W*": 0}}, r"n_topics\['W\*'\] is 0: give a whole number that is one or larger"),
        (
            {"components": [U, W], "n_topics": {"U": 3, "W*": 4}},
            r"n_topics has 3 for 'U' and 4 for 'W\*', which share the association 'H': give them the same number",
        ),
        ({"fit_scale": "words"}, "'fit_scale' parameter of Factorized must be a str among"),
        ({"exponent": 2.0}, "'exponent' parameter of Factorized must be a float in the range"),
        ({"n_topics": True}, "'n_topics' parameter of Factorized must be an int in .* Got True"),
        ({"terms": Neighbors()}, "'terms' parameter of Factorized must be an instance of 'list'"),
    ],
)
def test_parts_that_do_not_fit(params: dict[str, Any], message: str, toy: Toy) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        toy.fit(factorized(**params))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Neighbors("V*", -1.0), "weight of Neighbors is -1.0: give a number that is zero or larger"),
        (lambda: Neighbors("V*", n_neighbors=0), "n_neighbors of Neighbors is 0: give a whole number"),
        (lambda: Shrinkage("H", float("nan")), "weight of Shrinkage is nan: give a number"),
        (lambda: LabelRegression(1.0, ridge=True), "ridge of LabelRegression is True: give a number"),
    ],
)
def test_numbers_of_recipes(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_documents_are_passed_over_where_nothing_else_looks_at_their_classes() -> None:
    assert isthmus.Factorized(terms=[Neighbors("V*", weight=0.0)]).passes_over_parts
    assert not isthmus.Factorized(terms=[Neighbors("V*", weight=0.1)]).passes_over_parts
    assert not isthmus.TCL(as_printed=True).passes_over_parts
    assert not isthmus.GCMF().passes_over_parts
