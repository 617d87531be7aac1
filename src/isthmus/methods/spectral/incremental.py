"""CDSC for documents that go on arriving: the future work of its paper (section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from isthmus.core.estimator import one_blas_thread
from isthmus.core.numerics import stack, unit_rows
from isthmus.core.problem import Problem, has_words, read_documents
from isthmus.core.solution import published
from isthmus.core.workspace import Workspace
from isthmus.methods.spectral._base import EmbeddingSolution
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.solvers.spectral import DocumentGraph, Embedding
from isthmus.typing import Array, Matrix, Positions


@dataclass(frozen=True, eq=False)
class GrowingSolution(EmbeddingSolution):
    """An embedding with the graph that it is of, so that the graph can grow."""

    _graph: DocumentGraph
    _all_vectors: Embedding
    """With those that are not in use."""
    _rows: Matrix
    """Unit rows of all unlabelled documents, those without a place too."""
    _positions: Positions
    """Where among all documents these are."""

    def grown(self, model: CDSC, rows: Matrix, positions: Positions, prior: Array) -> GrowingSolution:
        """With more unlabelled documents, which are at these positions."""
        before = np.zeros((self._rows.shape[0], len(self._all_vectors.values)))
        before[self._graph.linked] = self._all_vectors.free
        known = np.append(self._graph.linked, np.zeros(rows.shape[0], dtype=bool))
        rows = stack([self._rows, rows])
        old, nodes = self._graph, self._graph.nodes
        graph = DocumentGraph.of(nodes, old.sizes, old.kinds, rows, old.n_classes)
        start = np.zeros((rows.shape[0], before.shape[1]))
        start[: len(before)] = before
        start[~known] = self._all_vectors.place(rows[~known])[0]  # where the equation of an eigenvector puts them
        tied = self._all_vectors.tied
        embedding = model.embed(graph, np.concatenate([tied, start[graph.linked]])[:, 1:])
        found = vars(model.read(graph, embedding, prior))
        return GrowingSolution(**found, **_kept(graph, embedding, rows, np.append(self._positions, positions)))

    def fill(self, distributions: Array) -> None:
        """Put what is known of unlabelled documents into an array of all documents."""
        distributions[self._positions] = self.distributions


def _kept(graph: DocumentGraph, embedding: Embedding, rows: Matrix, positions: Positions) -> dict[str, Any]:
    """What it takes to go on."""
    return {"_graph": graph, "_all_vectors": embedding, "_rows": rows, "_positions": positions}


class IncrementalCDSC(CDSC):
    """Online spectral classification: `CDSC` whose graph takes in documents that arrive after `fit`.

    `partial_fit` adds unlabelled documents of the target. Each is put where the eigenvectors of the graph so far would
    have it, which costs what its words cost; two iterations from there (LOBPCG, a warm start) move all documents to
    where the larger graph has them, where a search from nothing takes some forty products with the graph. The labels of
    earlier documents may change. `benchmarks/incremental.py` compares it with fits from scratch.

    It keeps the documents' words, which no model file holds: fit a `CDSC` to save. Parameters and attributes are
    those of `CDSC`; rows of `transduction_` and `label_distributions_` are those of `fit`, then those that arrived.
    beta must be infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from isthmus.methods.spectral.incremental import IncrementalCDSC
    >>> X = np.array([[2., 0, 0], [0, 2, 0], [1, 0, 0], [0, 1, 0], [1, 0, 2], [0, 1, 0]])
    >>> model = IncrementalCDSC(random_state=0)
    >>> model = model.fit(X, ["a", "b", "a", "b", "?", "?"], sample_domain=[1, 1, 1, 1, -1, -1])
    >>> model.partial_fit([[1., 0, 3], [0, 2, 0]]).transduction_[4:].tolist()
    ['a', 'b', 'a', 'b']
    """

    solution_: GrowingSolution

    def solve(self, problem: Problem, workspace: Workspace) -> GrowingSolution:
        if not np.isinf(self.beta):
            raise ValueError(f"beta is {self.beta}: a graph that grows needs classes as one node each (beta=np.inf).")
        graph, rows = self.graph(problem), unit_rows(problem.unlabeled)
        embedding = self.embed(graph)
        found = vars(self.read(graph, embedding, problem.class_prior.astype(np.float64)))
        positions = np.concatenate([domain.rows[~domain.labeled] for domain in problem.domains])
        return GrowingSolution(**found, **_kept(graph, embedding, rows, positions))

    def partial_fit(self, X: Any) -> Self:
        """Take in unlabelled documents of the target.

        Parameters
        ----------
        X : documents x words
        """
        check_is_fitted(self, "classes_")
        matrix = read_documents(self, X, reset=False)
        full = has_words(matrix)
        n = len(self.label_distributions_)
        positions = n + np.flatnonzero(full)
        with one_blas_thread():
            solution = self.solution_.grown(self, unit_rows(matrix[full]), positions, self.class_prior_)
        arrived = np.tile(self.class_prior_, (len(full), 1))
        self.label_distributions_ = np.concatenate([self.label_distributions_, arrived])
        solution.fill(self.label_distributions_)
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.solution_ = solution
        for name, value in published(solution).items():
            setattr(self, name, value)
        return self
