"""What a fit takes over from the one before, on the same documents: a refit after a few labels need not start over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp

from isthmus.core.problem import DocumentStack, Problem
from isthmus.core.workspace import Workspace
from isthmus.typing import Matrix


def with_known_documents(problem: Problem, workspace: Workspace) -> Problem:
    """The same problem, with the very matrices of the one before if these are equal: what was made of them holds.

    What was made of others is let go of.
    """
    asked = SameDocuments(problem.documents)
    documents = workspace.once(_first_seen, asked)
    if documents is problem.documents:
        workspace.clear()
        workspace.once(_first_seen, asked)
        return problem
    domains = tuple(
        replace(domain, matrix=matrix) for domain, matrix in zip(problem.domains, documents.matrices, strict=True)
    )
    return replace(problem, domains=domains, documents=documents)


@dataclass(frozen=True, eq=False)
class SameDocuments:
    """Documents that are equal to others of the same content, and were so when they were first seen.

    Arrays may be the user's own, who may change them: then they are equal to themselves, and no more what they were.
    """

    documents: DocumentStack

    @cached_property
    def digest(self) -> str:
        return str(joblib.hash(self.documents.matrices))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SameDocuments):
            return NotImplemented
        pairs = (self.documents.matrices, other.documents.matrices)
        return self.digest == other.digest and len(pairs[0]) == len(pairs[1]) and all(map(_same, *pairs))


@dataclass(frozen=True, eq=False)
class SameProblem:
    """A problem that is equal to others on the same documents in which the same labels may be read."""

    problem: Problem

    def __hash__(self) -> int:
        return hash(self.problem.documents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SameProblem):
            return NotImplemented
        one, two = self.problem, other.problem
        return (
            one.documents is two.documents
            and one.n_embeddings == two.n_embeddings
            and np.array_equal(one.classes, two.classes)
            and np.array_equal(one.class_prior, two.class_prior)
            and all(
                own.is_target == its.is_target
                and np.array_equal(own.rows, its.rows)
                and np.array_equal(own.labels, its.labels)
                for own, its in zip(one.domains, two.domains, strict=True)
            )
        )


def _first_seen(documents: SameDocuments) -> DocumentStack:
    return documents.documents


def _same(one: Matrix, other: Matrix) -> bool:
    if one is other:
        return True
    if one.shape != other.shape or one.dtype != other.dtype or sp.issparse(one) != sp.issparse(other):
        return False
    return all(np.array_equal(*pair) for pair in zip(_arrays(one), _arrays(other), strict=True))


def _arrays(matrix: Matrix) -> list[Any]:
    return [matrix.data, matrix.indices, matrix.indptr] if sp.issparse(matrix) else [matrix]
