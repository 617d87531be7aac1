"""What a method found: frozen arrays, and how to label documents that come later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np

from isthmus.core.parts import by_parts
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

    @property
    def shown(self) -> Solution:
        """The solution whose public fields an estimator shows: this one, or the one it wraps."""
        return self

    def transduce(self, problem: Problem) -> Array:
        """Class probabilities of `problem.unlabeled`: as if these documents were new."""
        mixed = [number for number, domain in enumerate(problem.domains) if not domain.fully_labeled]
        parts = [self.assign(problem.domains[number].unlabeled, number) for number in mixed]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros((0, problem.n_classes))


def like_later_ones(solution: Solution, problem: Problem) -> Array:
    """Class probabilities of `problem.unlabeled`, where the solution has not seen all of these; they may lie elsewhere.

    In parts, and each part in smaller ones: a solution's features can be many times as large as the rows.
    """
    mixed = [(number, domain.unlabeled) for number, domain in enumerate(problem.domains) if not domain.fully_labeled]
    found = [by_parts(partial(by_parts, partial(solution.assign, domain=number)), some) for number, some in mixed]
    if len(found) == 1:
        return found[0]
    return np.concatenate(found) if found else np.zeros((0, problem.n_classes))


def published(solution: Any) -> dict[str, Any]:
    """The solution's public fields as fitted attributes, with an underscore at the end of their names."""
    solution = solution.shown
    names = [field.name for field in fields(solution)]
    return {f"{name}_": getattr(solution, name) for name in names if name != "distributions" and name[0] != "_"}


@dataclass(frozen=True, eq=False)
class TransductiveSolution(Solution):
    """A solution that found the unlabeled documents' probabilities on its way."""

    distributions: Array | None = field(default=None, kw_only=True)
    """Class probabilities of `Problem.unlabeled`. None in a model from a file, whose estimator has them."""

    def transduce(self, problem: Problem) -> Array:
        assert self.distributions is not None
        return self.distributions


@dataclass(frozen=True, eq=False)
class LinearSolution(Solution):
    """One classifier with probabilities, which knows the classes by number, for the documents of all domains."""

    classifier: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return np.asarray(self.classifier.predict_proba(X))


@dataclass(frozen=True, eq=False)
class MappedSolution(LinearSolution):
    """The same, on features that a map makes of a domain's words; None for the words alone."""

    feature_map: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        if self.feature_map is None:
            return super().assign(X, domain)

        def of_part(part: Matrix) -> Array:
            return super(MappedSolution, self).assign(self.feature_map.transform(part, domain), domain)

        return by_parts(of_part, X)  # with these features, documents are many times as large


@dataclass(frozen=True, eq=False)
class MarginSolution(Solution):
    """One support vector machine for the documents of all domains. Its probabilities are the softmax of margins."""

    classifier: Any

    def assign(self, X: Matrix, domain: int | None) -> Array:
        return classifier_probabilities(self.classifier, X, len(self.classifier.classes_))
