"""Generated documents: the statistics that they promise, and the truth that they tell."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from isthmus.datasets import make_domains


def test_sizes_are_as_asked_and_classes_even() -> None:
    made = make_domains([30, 60, 90], n_words=400, n_classes=3, n_domains=3, random_state=0)
    assert made.X.shape == (180, 400)
    assert np.bincount(made.sample_domain).tolist() == [30, 60, 90]
    assert [np.bincount(made.y[made.sample_domain == d]).tolist() for d in range(3)] == [[10] * 3, [20] * 3, [30] * 3]


def test_the_same_seed_gives_the_same_documents() -> None:
    first, again, other = (make_domains(50, n_words=300, random_state=seed) for seed in (1, 1, 2))
    assert (first.X != again.X).nnz == 0
    assert (first.y == again.y).all()
    assert (first.X != other.X).nnz > 0


def test_words_follow_zipf_and_lengths_are_log_normal() -> None:
    made = make_domains(4000, n_words=2000, shared=1.0, telling=0.0, mean_length=80, random_state=0)
    totals = np.asarray(made.X.sum(axis=0)).ravel()
    ranks = np.arange(2000)
    slope = np.polyfit(np.log(ranks[:500] + 3.7), np.log(totals[:500]), 1)[0]
    assert slope == pytest.approx(-1.07, abs=0.03)
    lengths = np.asarray(made.X.sum(axis=1)).ravel()
    assert lengths.mean() == pytest.approx(80, rel=0.05)
    logs = np.log(lengths)
    assert logs.std() == pytest.approx(0.8, rel=0.05)
    assert abs(np.mean((logs - logs.mean()) ** 3)) / logs.std() ** 3 < 0.1  # as many long as short


def test_a_domain_s_own_words_occur_there_alone() -> None:
    made = make_domains(500, n_words=1000, n_domains=3, random_state=0)
    for domain in range(3):
        used = np.asarray(made.X[made.sample_domain == domain].sum(axis=0)).ravel() > 0
        assert set(made.word_domain[used].tolist()) <= {-1, domain}
    assert np.mean(made.word_domain == -1) == pytest.approx(0.5, abs=0.05)


def test_telling_words_tell_their_class_in_every_domain() -> None:
    made = make_domains(3000, n_words=500, n_classes=2, random_state=0)
    for domain in (0, 1):
        here = made.sample_domain == domain
        mean = [np.asarray(made.X[here & (made.y == c)].mean(axis=0)).ravel() for c in (0, 1)]
        common = (mean[0] + mean[1]) > 0.1
        for c in (0, 1):
            told = common & (made.word_class == c)
            assert (mean[c][told] > mean[1 - c][told]).all()


def test_a_classifier_loses_on_the_way_to_another_domain() -> None:
    made = make_domains(800, n_words=3000, n_classes=3, shared=0.3, strength=1.0, mean_length=40, random_state=0)
    source = made.sample_domain == 0
    learned = np.flatnonzero(source)[::2]
    kept = np.flatnonzero(source)[1::2]
    classifier = LogisticRegression(max_iter=300).fit(made.X[learned], made.y[learned])
    at_home, away = classifier.score(made.X[kept], made.y[kept]), classifier.score(made.X[~source], made.y[~source])
    assert 1 / 3 + 0.1 < away < at_home - 0.05


def test_texts_hold_the_counted_words() -> None:
    made = make_domains(20, n_words=100, random_state=0)
    counted = CountVectorizer(vocabulary=[f"w{word}" for word in range(100)]).fit_transform(made.texts())
    assert (counted != made.X).nnz == 0


def test_blocks_leave_no_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.datasets.generated.BLOCK", 7)
    made = make_domains(10, n_words=100, random_state=0, dtype=np.float32)
    assert made.X.shape == (20, 100)
    assert made.X.dtype == np.float32
    assert made.X.has_canonical_format
    assert (np.diff(made.X.indptr) > 0).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"n_documents": [5]}, "n_documents has 1 entries and n_domains is 2"), ({"shared": 0.0}, "shared is 0.0")],
)
def test_what_cannot_be_made_is_refused(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_domains(**{"n_words": 50, **arguments})  # type: ignore[arg-type]
