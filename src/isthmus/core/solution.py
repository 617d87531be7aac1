"""What a method found: frozen arrays, and how to label documents that come later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from isthmus.core.probabilities import classifier_probabilities
from isthmus.core.problem import Problem
from isthmus.typing import Array, Matrix


class Solution(ABC):
    """Base of all solutions, which are frozen dataclasses.

    `fit` publishes each public field as an attribute of the estimator, with an underscore at its end: `classifier`
    becomes `classifier_`. Fields whose names begin with an underscore stay in the solution.
    """

    @abstractmethod
    def assign(self, X: Matrix, domain: int | None) -> Array:
        """Class probabilities of new documents, none of them empty.

        `domain` is the position of the domain whose words to read them with, or None for the targets.
        """

    def transduce(self, problem: Problem) -> tuple[Array, ...]:
        """Class probabilities of each domain's unlabelled documents: as if they were new."""
        return tuple(
            np.zeros((0, problem.n_classes)) if domain.fully_labeled else self.assign(domain.unlabeled, number)
            for number, domain in enumerate(problem.domains)
        )


def published(solution: Any) -> dict[str, Any]:
    """What a fitted estimator shows of its solution, by attribute."""
    names = [field.name for field in fields(solution)]
    return {f"{name}_": getattr(solution, name) for name in names if name != "distributions" and name[0] != "_"}


@dataclass(frozen=True, eq=False)
class TransductiveSolution(Solution):
    """A solution that found the unlabelled documents' probabilities on its way."""

    distributions: tuple[Array, ...]
    """Of each domain's unlabelled documents: documents x classes."""

    def transduce(self, problem: Problem) -> tuple[Array, ...]:
        return self.distributions


def split_by_domain(unlabeled: Array, problem: Problem) -> tuple[Array, ...]:
    """Rows for all unlabelled documents (`Problem.unlabeled`), as one array for each domain."""
    sizes = [int((~domain.labeled).sum()) for domain in problem.domains]
    return tuple(np.split(unlabeled, np.cumsum(sizes)[:-1]))


@dataclass(frozen=True, eq=False)
class LinearSolution(Solution):
    """One classifier with probabilities, which knows the classes by number, for the documents of all domains."""

    classifier: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier.predict_proba(X))


@dataclass(frozen=True, eq=False)
class MappedSolution(LinearSolution):
    """The same, on features that a map makes of words; None for the words alone."""

    feature_map: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier.predict_proba(mapped(self.feature_map, X)))


def mapped(feature_map: Any, X: Matrix) -> Matrix:
    """With the map's features beside the words; as it is without a map."""
    return X if feature_map is None else feature_map.transform(X)


@dataclass(frozen=True, eq=False)
class MarginSolution(Solution):
    """One support vector machine for the documents of all domains. Its probabilities are the softmax of margins."""

    classifier: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return classifier_probabilities(self.classifier, X, len(self.classifier.classes_))
