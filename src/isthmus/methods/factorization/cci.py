"""Cluster Correspondence Inference.

M. Long, W. Cheng, X. Jin, J. Wang and D. Shen, "Transfer Learning via Cluster Correspondence Inference", ICDM 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from isthmus.core.estimator import NOT_NEGATIVE
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback
from isthmus.core.workspace import Workspace
from isthmus.inspection.correspondence import Correspondences, read_correspondences
from isthmus.methods.factorization._base import FactorizationClassifier, FactorizationSolution, read_factors
from isthmus.solvers.clusters import cluster, name_clusters
from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    Component,
    Constraint,
    CoOccurrence,
    Factorization,
    Frozen,
    History,
    NonNegative,
    Reconstruction,
    RowsSumToOne,
    Scaled,
    ScaledDocuments,
    documents_of,
    plsa,
)
from isthmus.solvers.linear import first_labels
from isthmus.typing import Array, DomainName

SOFTENING = 0.2
"""Added to K-means's memberships (section IV-D): a multiplicative update never moves a zero."""


class CCI(FactorizationClassifier):
    """Word clusters of source and target, tied many to many by the words that occur together.

    Minimizes (eq. 4 and 5, X_d words x documents here as in the paper)

        ||X_s - F_s S_s G_s^T||^2 + lambda ||X_t - F_t S_t G_t^T||^2 + gamma ||W - F_s S_w F_t^T||^2,

    each of X_s, X_t and W divided by the sum of its entries. F_d holds a domain's word clusters, G_d its documents'
    classes, S_d how the two go together, and S_w which source word cluster corresponds to which target word cluster. W
    counts the documents, of all domains, in which two words meet. Columns of F_d and G_d sum to one. G_s is the labels.

    F_d starts from a PLSA of all documents, G_t from K-means, S from constants (section IV-D).
    **What crosses from the source.** Permuting the columns of G_t and S_t together changes nothing in the objective, so
    the target's clusters come without names. Agreement with a logistic regression of the labeled documents names them
    (`isthmus.solvers.clusters`), as it does for `KMeans`. Shuffling the source's labels inside the objective leaves the
    result as it was: the target is *clustered*, and the source's labels only name the clusters. Its documents do help,
    through W (`isthmus bench cci --methods "CCI,gamma 0"`). Look at `KMeans` beside it.

    With several sources and targets, each has its own F, S and G, and each pair of a source and a target a term with
    an S_w of its own. A target document whose label is known keeps it: its row of G_t has one entry that is not zero.

    Departures: each factor is normalized as soon as it is updated; columns of G_s sum to one like G_t's.

    Parameters
    ----------
    n_topics : int
        k_f, the word clusters of each domain. Four, as in the paper.
    target_weight, correspondence_weight : float
        lambda and gamma. One, as in the paper. What a weight of zero leaves without any say stays where it starts: with
        gamma = 0, S_w, and source and target have nothing to do with each other; with lambda = 0, S_t and G_t.
    start_C : float
        Inverse regularization of the logistic regression that names the clusters.
    n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`. Random are the starts of PLSA and K-means.

    Attributes
    ----------
    word_clusters_ : ndarray of domains x words x clusters
        F_d.
    associations_ : ndarray of domains x clusters x classes
        S_d.
    correspondences_ : dict of (source, target) to ndarray of source clusters x target clusters
        S_w. See `correspondence` for a table to read.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1], [3, 1, 0, 0], [0, 0, 3, 1]])
    >>> model = isthmus.CCI(n_topics=2, random_state=0)
    >>> model.fit(X, ["a", "a", "b", "b", "?", "?"], sample_domain=[1] * 4 + [-1] * 2).transduction_[4:].tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "target_weight": [NOT_NEGATIVE],
        "correspondence_weight": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        n_topics: int = 4,
        *,
        target_weight: float = 1.0,
        correspondence_weight: float = 1.0,
        start_C: float = 1.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.target_weight = target_weight
        self.correspondence_weight = correspondence_weight
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def solve(self, problem: Problem, workspace: Workspace) -> CCISolution:
        rng = check_random_state(self.random_state)
        votes = workspace.once(first_labels, problem, self.start_C)
        starts = self.starts(problem, votes, rng)
        model, history = self.best_of(self.model(problem, dict(starts), rng) for _ in range(self.n_init))
        return self._solution(problem, votes, model, history)

    def starts(self, problem: Problem, votes: Sequence[Array], rng: np.random.RandomState) -> dict[str, Array]:
        """G_d: labels, and K-means where there are none; `votes` name the clusters."""
        starts = {}
        for number, (domain, own) in enumerate(zip(problem.domains, votes, strict=True)):
            start = np.array(domain.labels)
            if not domain.fully_labeled:
                membership = np.eye(problem.n_classes)[cluster(domain, own, rng).labels_]
                start[~domain.labeled] = (membership + SOFTENING)[~domain.labeled]
            ColumnsSumToOne().restore(start)
            starts[f"V{number}"] = start
        return starts

    def model(self, problem: Problem, starts: dict[str, Array], rng: np.random.RandomState) -> Factorization:
        domains, k, dtype = problem.domains, self.n_topics, problem.domains[0].matrix.dtype
        clusters = plsa([domain.matrix for domain in domains], k, rng).words.astype(dtype)
        constraints: dict[str, Constraint] = {}
        terms = []
        for number, domain in enumerate(domains):
            F, S, G = words_of(number), association_of(number), f"V{number}"
            starts[F], starts[S] = clusters, np.full((k, problem.n_classes), 1 / problem.n_classes, dtype)
            constraints[F], constraints[S] = ColumnsSumToOne(), NonNegative()
            # A multiplicative update never moves a zero: known labels stay, and need no update.
            constraints[G] = Frozen() if domain.fully_labeled else ColumnsSumToOne()
            weight = self.target_weight if domain.is_target else 1.0
            documents = ScaledDocuments(documents_of(domain.matrix), 1 / float(domain.matrix.sum(dtype=np.float64)))
            # Reconstruction has a factor 1/2, eq. 4 has not.
            terms.append(Reconstruction(documents, G, (Component(F, S),), 2 * weight))

        counts = CoOccurrence([domain.matrix for domain in domains])
        W = Scaled(counts, 1 / counts.total)
        for s, t in _pairs(problem):
            F_s, F_t, S_w = words_of(s), words_of(t), correspondence_of(s, t)
            starts[S_w], constraints[S_w] = np.full((k, k), 1 / k, dtype), NonNegative()
            terms.append(Reconstruction(W, F_t, (Component(F_s, S_w),), 2 * self.correspondence_weight))
        numbers = range(len(domains))
        # (6) to (8), (12), (13)
        order = [*map(words_of, numbers), *(f"V{n}" for n in numbers), *map(association_of, numbers)]
        order += [correspondence_of(*pair) for pair in _pairs(problem)]  # (14)
        constraints |= dict.fromkeys(self._idle(problem), Frozen())
        return Factorization(starts, terms, constraints, order)

    def _idle(self, problem: Problem) -> list[str]:
        """Factors that nothing says anything of."""
        targets = [number for number, domain in enumerate(problem.domains) if domain.is_target]
        idle = [] if self.correspondence_weight else [correspondence_of(*pair) for pair in _pairs(problem)]
        if not self.target_weight:
            idle += [name for number in targets for name in (f"V{number}", association_of(number))]
            idle += [] if self.correspondence_weight else map(words_of, targets)
        return idle

    def _solution(
        self, problem: Problem, votes: Sequence[Array], model: Factorization, history: History
    ) -> CCISolution:
        """Name the clusters again, now that they have moved. Known labels hold a domain's clusters in place."""
        factors = model.factors
        for number, (domain, own) in enumerate(zip(problem.domains, votes, strict=True)):
            if not domain.labeled.any():
                order = name_clusters(factors[f"V{number}"], own)
                for name in (f"V{number}", association_of(number)):
                    factors[name] = factors[name][:, order]
            RowsSumToOne().restore(factors[f"V{number}"])  # memberships to probabilities
        names = [domain.name for domain in problem.domains]
        return CCISolution(
            **read_factors(problem, model, history),
            word_clusters=np.stack([factors[words_of(number)] for number in range(len(names))]),
            associations=np.stack([factors[association_of(number)] for number in range(len(names))]),
            correspondences={(names[s], names[t]): factors[correspondence_of(s, t)] for s, t in _pairs(problem)},
        )

    def correspondence(self, feature_names: Any = None, n_words: int = 5) -> Correspondences:
        """S_w as a table: what source and target word clusters have to do with each other. Arguments: `TCL.topics`."""
        check_is_fitted(self, "correspondences_")
        sides = dict(zip(self.domains_, zip(self.word_clusters_, self.associations_, strict=True), strict=True))
        names = self._read_feature_names(feature_names)
        return read_correspondences(names, self.classes_, sides, self.correspondences_, n_words)


@dataclass(frozen=True, eq=False)
class CCISolution(FactorizationSolution):
    """Word clusters of each domain, what they stand for, and which corresponds to which."""

    word_clusters: Array
    associations: Array
    correspondences: dict[tuple[DomainName, DomainName], Array]


def words_of(number: int) -> str:
    """The name of F_d."""
    return f"F{number}"


def association_of(number: int) -> str:
    """The name of S_d."""
    return f"S{number}"


def correspondence_of(source: int, target: int) -> str:
    """The name of S_w for a pair of domains."""
    return f"S{source}-{target}"


def _pairs(problem: Problem) -> list[tuple[int, int]]:
    """Each source with each target."""
    sides = [domain.is_target for domain in problem.domains]
    return [(s, t) for s, source in enumerate(sides) for t, target in enumerate(sides) if target and not source]
