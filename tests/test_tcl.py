"""TCL and NMTF themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

import isthmus
from conftest import Toy, build
from isthmus.inspection.correspondence import Correspondence, WordCluster
from isthmus.inspection.topics import Topic, Topics, read_topics
from isthmus.solvers.factorization import random_start

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from plain_tcl import plain_tcl


@pytest.mark.usefixtures("exact_logistic")
def test_engine_follows_the_papers_equations(toy: Toy) -> None:
    """The same start, eq. 5 to 8 written straight down: the same class probabilities."""
    order = np.argsort(toy.domain, kind="stable")  # source first, as in the plain version
    X, y, domain = toy.X[order], toy.y[order], toy.domain[order]
    model = isthmus.TCL(n_topics=5, common_weight=0.6, random_state=3, max_iter=40, tol=0)
    model.fit(X, y, sample_domain=domain, target_domain="target")

    source = domain == "source"
    _, numbers = np.unique(y[source], return_inverse=True)
    start = (
        LogisticRegression(C=100, solver="newton-cg", tol=1e-10, max_iter=1000)
        .fit(X[source], numbers)
        .predict_proba(X[~source])
    )
    rng = check_random_state(3)
    U, W_s, W_t = (random_start(rng, (X.shape[1], 5), X.dtype) for _ in range(3))
    H = rng.uniform(size=(5, 2))
    expected = plain_tcl(X[source], X[~source], np.eye(2)[numbers], start, U, W_s, W_t, H, a=0.6, n_iter=40)
    assert model.label_distributions_[~source] == pytest.approx(expected, abs=1e-6)


def test_transfer_beats_the_classifier_it_starts_from(toy_of_three: Toy) -> None:
    accuracy = {}
    for name in ("LR", "TCL"):
        model = toy_of_three.fit(build(name, **({"n_topics": 10} if name == "TCL" else {})))
        accuracy[name] = np.mean((model.transduction_ == toy_of_three.y)[toy_of_three.in_target])
    assert accuracy["TCL"] >= accuracy["LR"]


def test_all_common_and_no_common_words(toy: Toy) -> None:
    """At the ends of the range, one of the two kinds of words is switched off."""
    for weight in (0.0, 1.0):
        model = toy.fit(build("TCL", common_weight=weight))
        assert np.isfinite(model.label_distributions_).all()
        used = model.domain_topics_[0] if weight == 0 else model.common_topics_
        assert model.profiles_[0] == pytest.approx(used @ model.association_)
    common = toy.fit(build("TCL", common_weight=1.0)).profiles_
    assert np.array_equal(common[0], common[1])


def test_topics_name_the_words_of_each_side(toy: Toy) -> None:
    model = toy.fit(build("TCL", n_topics=6, max_iter=200))
    names = [f"w{i}" for i in range(toy.X.shape[1])]
    topics = model.topics(names, n_words=5)
    assert len(topics) == 6
    assert {topic.label for topic in topics} <= {"class 0", "class 1"}
    for topic in topics:
        assert sum(topic.association.values()) == pytest.approx(1)
        assert topic.association[topic.label] == max(topic.association.values())
        # words 10..21 are class 0 in both domains, 22..33 in the source only, 34..45 in the target only; then class 1
        shift = 36 * (topic.label == "class 1")
        for domain, first in (("source", 22), ("target", 34)):
            own = {f"w{i}" for i in range(first + shift, first + 12 + shift)}
            assert topic.specific[domain][0][0] in own
        assert len(topic.common) <= 5
    printed = str(topics)
    assert "common words" in printed
    assert "words of target" in printed
    assert "common words" not in str(toy.fit(build("NMTF")).topics(names))
    with pytest.raises(ValueError, match="feature_names has 2 entries and the model 82 words"):
        model.topics(["a", "b"])


def test_one_domain_is_a_plain_classifier(toy: Toy) -> None:
    source = ~toy.in_target
    model = build("TCL").fit(toy.X[source], toy.y[source])
    assert np.mean(model.predict(toy.X[source]) == toy.y[source]) > 0.95
    assert model.target_domains_ == []


def test_tables_call_domains_as_they_are_called() -> None:
    """Also where rich would take the name for a wish."""
    topic = Topic("a", {"a": 1.0}, [("w", 1.0)], {"ph[red]": [("x", 1.0)], "ph[/old]": [("y", 1.0)]})
    cluster = [WordCluster("a", [("w", 1.0)])]
    correspondence = Correspondence("ph[red]", "ph[/old]", cluster, cluster, np.ones((1, 1)))
    for table in (Topics([topic]), correspondence):
        assert all(name in str(table).splitlines()[0] for name in ("ph[red]", "ph[/old]"))


def test_of_several_starts_the_lowest_objective_is_kept(toy: Toy) -> None:
    """The first of four starts is the start of a fit with one."""
    ends = [
        [toy.fit(build("TCL", n_init=n, random_state=seed, max_iter=5)).objective_[-1] for n in (1, 4)]
        for seed in range(4)
    ]
    assert all(best <= first for first, best in ends)
    assert any(best < first for first, best in ends)


def test_topics_without_strength_do_not_lead() -> None:
    """Rows of words sum to one: a word that nothing explains is all in a topic without any association."""
    names = ["car", "engine", "doctor", "fever", "rare"]
    words = np.array([[0.9, 0.0, 0.1], [0.8, 0.0, 0.2], [0.0, 0.9, 0.1], [0.0, 0.8, 0.2], [0.0, 0.0, 1.0]])
    association = np.array([[0.5, 0.1], [0.0, 0.6], [1e-4, 0.0]])
    topics = read_topics(names, np.array(["machine", "health"]), association, None, {"here": words}, 2)
    assert [topic.label for topic in topics] == ["machine", "machine", "health"]
    assert topics[0].specific["here"][0][0] == "car"
    assert topics[1].specific["here"][0][0] == "rare"
