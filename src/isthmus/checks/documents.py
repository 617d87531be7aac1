"""Documents: their containers and numbers, those without a word, and those that come later."""

from __future__ import annotations

import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
import scipy.sparse as sp

from isthmus.checks.corpus import two_domains
from isthmus.checks.trial import Trial, expect, expect_close, expect_probabilities, expect_same_bits
from isthmus.exceptions import EmptyDocumentWarning, silenced


def check_input_is_left_unchanged(trial: Trial) -> None:
    """`fit` and `predict_proba` write neither into X nor into y, and both stay writable."""
    given, toy = trial.given, trial.toy
    trial.plain.predict_proba(given.X)
    trial.dense.predict_proba(trial.given_dense)
    for part in ("data", "indices", "indptr"):
        now = getattr(given.X, part)
        expect(np.array_equal(now, getattr(toy.X, part)), f"X.{part} to be left as it was", "other values")
        expect(now.flags.writeable, f"X.{part} to stay writable", "a read-only array")
    expect(np.array_equal(trial.given_dense, toy.X.toarray()), "a dense X to be left as it was", "other values")
    for name in ("y", "domain"):
        same = np.array_equal(getattr(given, name), getattr(toy, name))
        expect(same, f"{'sample_domain' if name == 'domain' else name} to be left as it was", "other values")


def check_documents_may_change_afterwards(trial: Trial) -> None:
    """A fitted method needs the documents of its fit no more, or has its own copy: X is the user's."""
    toy = two_domains(n_documents=60)
    order = np.argsort(toy.in_target, kind="stable")  # domains in a row: their parts may be views
    own = toy.X[order]
    given = own.copy()
    model = trial.new().fit(given, toy.y[order], sample_domain=toy.domain[order], target_domain="target")
    before = model.predict_proba(own)
    given.data[:] = 1
    expect_same_bits(model.predict_proba(own), before, "predict_proba after the documents of the fit were changed")


def check_containers(trial: Trial) -> None:
    """Arrays and matrices of scipy, of every format, and dense ones in either order."""
    toy, plain = trial.toy, trial.plain
    expected = plain.predict_proba(toy.X)
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.csc_array, sp.coo_array, np.asfortranarray):
        X = kind(toy.X.toarray() if kind is np.asfortranarray else toy.X)
        expect_close(plain.predict_proba(X), expected, 1e-6, f"predict_proba of a {kind.__name__} as of a csr_array")
    models = {"csr_matrix": trial.fit(X=sp.csr_matrix(toy.X)), "dense array": trial.dense}
    for name, model in models.items():
        what = f"label_distributions_ of a {name} as of a csr_array"
        expect_close(model.label_distributions_, plain.label_distributions_, 1e-3, what)


def check_frames(trial: Trial) -> None:
    """A DataFrame's columns are the words: their names are kept, and compared at `predict`."""
    try:
        import pandas as pd
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    toy = trial.toy
    frame = pd.DataFrame(toy.X.toarray(), columns=[f"word{i}" for i in range(toy.X.shape[1])])
    model = trial.fit(X=frame)
    what = "label_distributions_ of a DataFrame as of a csr_array"
    expect_close(model.label_distributions_, trial.plain.label_distributions_, 1e-3, what)
    names = getattr(model, "feature_names_in_", np.array([]))
    expect(np.array_equal(names, frame.columns), "the columns' names in feature_names_in_", names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # scikit-learn warns if it thinks that names are missing
        model.predict(frame)
    try:
        model.predict(frame[frame.columns[::-1]])
    except ValueError:
        return
    expect(False, "a ValueError for columns in another order", "none")


def check_single_precision(trial: Trial) -> None:
    """32-bit numbers say what 64-bit numbers say, but for a document or two in doubt."""
    toy = trial.toy
    single = toy.X.astype(np.float32)
    model = trial.fit(X=single)
    share = (model.transduction_ == trial.plain.transduction_).mean()
    expect(share > 0.98, "more than 98% of the labels to be those of 64-bit numbers", f"{share:.0%}")
    share = (model.predict(single) == model.predict(toy.X)).mean()
    expect(share > 0.98, "predict to agree of 32- and 64-bit numbers in more than 98% of the rows", f"{share:.0%}")


def check_documents_without_a_word(trial: Trial) -> None:
    """They get the class prior of the labeled documents, and known labels stay."""
    toy = trial.toy
    empty = np.concatenate([np.flatnonzero(toy.in_target)[:3], np.flatnonzero(~toy.in_target)[:2]])
    keep = np.ones(len(toy.y))
    keep[empty] = 0
    X = sp.csr_array(sp.diags_array(keep) @ toy.X)
    with silenced(EmptyDocumentWarning):
        model = trial.fit(X=X)
        later = model.predict_proba(X)
    expect_probabilities(model.label_distributions_, (len(toy.y), 2), "label_distributions_ with empty documents")
    prior: Any = np.tile(model.class_prior_, (3, 1))
    expect_close(model.label_distributions_[empty[:3]], prior, 1e-9, "the class prior for empty target documents")
    expect_close(later[empty[:3]], prior, 1e-9, "the class prior for empty new documents")
    kept = model.transduction_[empty[3:]] == toy.y[empty[3:]]
    expect(kept.all(), "the known labels of empty source documents to be kept", model.transduction_[empty[3:]])


def check_words_that_never_occur(trial: Trial) -> None:
    """Empty columns, before and after the others, decide nothing."""
    toy = trial.toy
    n_rows = len(toy.y)
    padded = sp.csr_array(sp.hstack([sp.csr_array((n_rows, 3)), toy.X, sp.csr_array((n_rows, 2))]))
    model = trial.fit(X=padded)
    expect_probabilities(model.label_distributions_, (n_rows, 2), "label_distributions_ with words that never occur")
    share = (model.transduction_ == trial.plain.transduction_).mean()
    expect(share > 0.97, "words that never occur to change less than 3% of the labels", f"{1 - share:.0%}")


def check_new_documents_one_by_one(trial: Trial) -> None:
    """What a document gets does not depend on those that come along with it."""
    later = two_domains(seed=6, n_documents=60)
    new = later.X[later.in_target]
    together = trial.plain.predict_proba(new)
    expect_probabilities(together, (new.shape[0], 2), "predict_proba of new documents")
    alone = np.vstack([trial.plain.predict_proba(new[[row]]) for row in range(5)])
    expect_close(alone, together[:5], 1e-9, "predict_proba of single documents as of all at once")
