"""CDSC for documents that go on arriving: the future work of its paper (section 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from isthmus.core.estimator import ONE_BLAS_THREAD
from isthmus.core.numerics import unit_rows
from isthmus.core.problem import Problem, has_words, read_documents, warn_of_empty
from isthmus.core.solution import published
from isthmus.core.workspace import Workspace
from isthmus.methods.spectral._base import EmbeddingSolution
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.document_blocks import DocumentBlock, in_blocks, taken
from isthmus.solvers.spectral import GrowingGraph, linked_rows
from isthmus.typing import Array, Mask, Matrix, Positions

SPARE = 4
"""Vectors beyond those in use. The graph's vectors move, and these hold part of where they move to."""
AGAIN = 3
"""Earlier documents that are placed again, for each that arrives."""


@dataclass(frozen=True, eq=False)
class GrowingSolution(EmbeddingSolution):
    """An embedding with the graph that it is of, so that the graph can grow."""

    _graph: GrowingGraph
    _columns: Positions
    """Which of the graph's vectors are in use."""
    _blocks: list[DocumentBlock]
    """The unlabeled documents of the graph; those first that have not been placed again for longest."""
    _waiting: DocumentBlock
    """Those that no chain of shared words joins to a labeled one so far."""
    _known: Positions
    """The class of each row of the fit and of those that have arrived since; -1 where it was not given."""

    def grown(self, model: CDSC, rows: Matrix, full: Mask, prior: Array) -> Self:
        """With unlabeled documents, of which those that are full have these unit rows."""
        positions = len(self._known) + np.flatnonzero(full)
        arrived = DocumentBlock.of(rows, positions, self._waiting.coordinates.shape[1])
        known = np.append(self._known, np.full(len(full), -1))
        candidates = DocumentBlock.stacked([self._waiting, arrived])
        linked = linked_rows(candidates.rows, self._graph.reach[None])
        waiting, joining = candidates[~linked], candidates[linked]
        if not linked.any():
            return replace(self, _waiting=waiting, _known=known)
        joining = replace(joining, coordinates=self._graph.place(joining.rows))
        graph = self._graph.joined(joining.rows, joining.coordinates)
        earlier, rest = taken([*self._blocks, *in_blocks(joining)], AGAIN * len(joining))
        moved = replace(earlier, coordinates=graph.moved(earlier.rows, earlier.coordinates))
        graph = graph.settled(earlier.rows, earlier.coordinates, moved.coordinates)
        blocks = [*rest, *in_blocks(moved)]
        return replace(self, _waiting=waiting, _known=known, _graph=graph, _blocks=blocks).read(model, prior)

    def read(self, model: CDSC, prior: Array) -> Self:
        """With the classifier of places that the graph has."""
        graph, n_classes = self._graph, len(prior)
        embedding = graph.embedding.only(np.arange(min(model.n_vectors(n_classes), len(graph.embedding.values))))
        columns = model.columns(graph.kinds, embedding.tied, n_classes)
        embedding = embedding.only(columns)
        places = model.learn(graph.kinds, graph.sizes, embedding, prior)
        return replace(
            self,
            distributions=None,
            eigenvalues=1 - embedding.values,
            class_points=places.class_points,
            classifier=places.classifier,
            _embedding=embedding,
            _places=places,
            _columns=columns,
        )

    def label_distributions(self, prior: Array) -> NDArray[np.float64]:
        """Class probabilities of all documents, in the order in which they came."""
        found = np.tile(prior.astype(np.float64), (len(self._known), 1))
        known = np.flatnonzero(self._known >= 0)
        found[known] = np.eye(len(prior))[self._known[known]]
        for block in self._blocks:
            places = self._graph.vectors_at(block.rows, block.coordinates)[:, self._columns]
            found[block.positions] = self._places.probabilities(places, np.ones(len(block), dtype=bool))
        return found


class IncrementalCDSC(CDSC):
    """Online spectral classification: `CDSC` whose graph takes in documents that arrive after `fit`.

    `partial_fit` adds unlabeled documents of the target. Each is put where the eigenvectors of the graph so far would
    have it, and so are, again, three times as many earlier ones; then a Rayleigh-Ritz step turns the vectors into those
    of the larger graph. What that needs of all documents are sums by word, which are kept. So a batch costs what its
    own words cost, and something for the words that there are, however many documents came before it.

    The labels of all documents are found when `transduction_` or `label_distributions_` is next looked at, which costs
    a product with all of them; those of earlier documents may change. Their rows are those of `fit`, then those that
    arrived. `benchmarks/incremental.py` compares all of it with fits from scratch.

    Parameters and attributes are those of `CDSC`; beta must be infinite. To go on, it keeps the words of the unlabeled
    documents, and so does a file that it is saved to.

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
        graph, prior = self.graph(problem), problem.class_prior.astype(np.float64)
        embedding = self.embed(graph, SPARE)
        usual = embedding.only(np.arange(min(self.n_vectors(problem.n_classes), len(embedding.values))))
        found = self.read(graph, usual, prior)
        rows = sp.csr_array(unit_rows(problem.unlabeled))
        growing, coordinates = GrowingGraph.of(graph, embedding, rows[graph.linked], self.lam)
        positions = np.concatenate([domain.rows[~domain.labeled] for domain in problem.domains])
        documents = DocumentBlock.of(rows, positions, coordinates.shape[1])
        linked = replace(documents[graph.linked], coordinates=coordinates)
        known = problem.known.any(axis=1)
        return GrowingSolution(
            **vars(found),
            _graph=growing,
            _columns=self.columns(graph.kinds, usual.tied, problem.n_classes),
            _blocks=in_blocks(linked),
            _waiting=documents[~graph.linked],
            _known=np.where(known, problem.known.argmax(axis=1), -1),
        )

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in unlabeled documents of the target.

        Parameters
        ----------
        X : documents x words
        y : ignored
            Documents that arrive have no label.
        """
        check_is_fitted(self, "classes_")
        matrix = read_documents(self, X, reset=False)
        full = has_words(matrix)
        warn_of_empty(int((~full).sum()), len(full))
        with ONE_BLAS_THREAD:
            rows = sp.csr_array(unit_rows(matrix[full]))
            self.solution_ = self.solution_.grown(self, rows, full, self.class_prior_)
        for name, value in published(self.solution_).items():
            setattr(self, name, value)
        for name in set(LABELS) & set(vars(self)):
            delattr(self, name)
        return self

    def __getattr__(self, name: str) -> Any:
        """Labels of all documents, once others have arrived."""
        if name not in LABELS or "solution_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with ONE_BLAS_THREAD:
            found = self.solution_.label_distributions(self.class_prior_)
        self.label_distributions_ = found
        self.transduction_ = self.classes_[found.argmax(axis=1)]
        return vars(self)[name]


LABELS = ("label_distributions_", "transduction_")
