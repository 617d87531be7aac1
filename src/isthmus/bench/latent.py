"""The factors of documents that a factorization has learned, before rows are made probabilities."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from isthmus.bench.tasks import TaskData
from isthmus.core.problem import make_problem
from isthmus.core.workspace import Workspace
from isthmus.exceptions import DataError
from isthmus.methods.factorization._base import TopicClassifier
from isthmus.typing import Array


def document_factors(estimator: object, data: TaskData) -> Array:
    """V of all documents: documents x classes."""
    if not isinstance(estimator, TopicClassifier):
        raise DataError(f"{type(estimator).__name__} has no factors of documents: choose a factorization with topics.")
    domains = data.sample_domain
    problem = make_problem(estimator, data.X, data.y, domains, data.target_domain, None)
    rng = check_random_state(estimator.random_state)
    starts = {f"V{n}": V for n, V in enumerate(estimator.document_starts(problem, Workspace(), rng))}
    model, _ = estimator.best_of(iter([estimator.design().build(problem, starts, rng)]))
    found = np.zeros((len(domains), problem.n_classes))
    for number, domain in enumerate(problem.domains):
        found[domain.rows] = model.factors[f"V{number}"]
    return found
