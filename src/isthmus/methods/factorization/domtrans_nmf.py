"""Domain Transfer Non-negative Matrix Factorization.

J. J.-Y. Wang, Y. Sun and H. Bensmail, "Domain Transfer Nonnegative Matrix Factorization", IJCNN 2014.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from isthmus.core.estimator import NOT_NEGATIVE, POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.progress import Callback, Relay, watched
from isthmus.core.solution import TransductiveSolution
from isthmus.core.workspace import Workspace
from isthmus.methods.factorization._base import FactorizationClassifier, unlabeled_rows
from isthmus.solvers.factorization import (
    Component,
    Constraint,
    Factorization,
    Free,
    MeanDiscrepancy,
    NonNegative,
    Reconstruction,
    Regression,
    Ridge,
    Term,
    documents_of,
    fold_in,
    minimize,
    plain_nmf,
    update,
)
from isthmus.typing import Array, Matrix


class DomTransNMF(TransferClassifier):
    """Semi-supervised NMF: one basis for all domains, in which their means agree and a linear classifier tells classes.

    Minimizes (eq. 6), with samples in rows here,

        sum_d ||X_d - V_d U^T||^2 + a ||mean of V_s - mean of V_t||^2 + b (1/2 ||w||^2 + g sum_L (v_i w + w_0 - y_i)^2)

    where L are the labeled rows of either domain and y_i is 1 or -1. Each iteration solves for w and its intercept
    (20, 22), then updates V (18) and U (11). It starts from a plain NMF of all rows (section II-C). More than two
    classes are told one against all others (section III-A), each in a factorization of its own, all from one start.

    Where this departs from the text:

    - Updates follow from (6). As printed, H in (21) is zero, (12)-(18) lack factors of 2, and iota iota^T stands where
      diag(iota) is meant. Centring by the corrected H = diag(iota) - iota iota^T / N_L is the same as solving for
      w and the intercept at once, which is done here.
    - At the end, all rows are coded once more by U alone, as new samples will be, and w is solved for on these
      codings. Those of the fit itself know the labels of labeled rows, which no new sample brings: a classifier
      trained on them is trained on something that it never meets again. `refit=False` keeps algorithm 1's own w.
    - With several sources or targets, the discrepancy is the mean over all pairs of a source and a target, weighted by
      their numbers of rows.

    X may be sparse (text) or dense (gene expression, band power), not negative, with features of similar ranges.
    Probabilities are a logistic function of the classifier's values: good for ranking, not calibrated.

    It is meant for targets with a few labeled rows (`sample_labeled`), from which a topic that only the target uses
    gets its coefficient. Without any, keep `n_topics` near the number of classes: with more, words of the target alone,
    of which text is full, tell nothing, and more weight for the discrepancy mends that sometimes only.

    Parameters
    ----------
    n_topics : int
        K, columns of U. Where X has fewer rows or columns, the start is random. On three divisions of 20 Newsgroups,
        20 tell labels held out of the source no better than 10 (97.8 and 97.7 % right), in twice the time. On gene
        expression 40 do: `benchmarks/settings.py`.
    discrepancy_weight, classifier_weight, loss_weight : float
        a, b and g (alpha, beta, gamma). The larger g, the less w is held back. The paper gives none of these, nor K.
    refit : bool
        Whether w is solved for once more on codings by U alone; see above.
    max_iter : int
        For each class, or once where there are two.
    tol, random_state, verbose, callback
        As for `TCL`.

    Attributes
    ----------
    bases_ : ndarray of runs x features x topics
        U: one for each class, or a single one where there are two.
    coefficients_, intercepts_ : ndarray of runs x topics (w), ndarray of runs
    n_iter_, objective_ : int, ndarray
        Iterations done, and half of (6) at the start and after each iteration, run after run.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[5., 1, 0, 1], [4, 2, 1, 0], [1, 0, 4, 3], [0, 1, 5, 4], [6, 2, 2, 1], [2, 2, 7, 5]])
    >>> lab = ["one"] * 4 + ["two"] * 2
    >>> clf = isthmus.DomTransNMF(n_topics=2, random_state=0)
    >>> clf = clf.fit(X, ["III", "III", "IV", "IV", "?", "?"], sample_domain=lab, target_domain="two")
    >>> clf.transduction_[4:].tolist(), clf.predict([[7., 2, 2, 2]]).tolist()
    (['III', 'IV'], ['III'])
    """

    _positive_only = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            key: limits
            for key, limits in FactorizationClassifier._parameter_constraints.items()
            if key not in ("start_C", "n_init")
        },
        "discrepancy_weight": [NOT_NEGATIVE],
        "classifier_weight": [POSITIVE],
        "loss_weight": [POSITIVE],
        "refit": ["boolean"],
    }

    def __init__(
        self,
        n_topics: int = 10,
        *,
        discrepancy_weight: float = 1.0,
        classifier_weight: float = 1.0,
        loss_weight: float = 1.0,
        refit: bool = True,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.discrepancy_weight = discrepancy_weight
        self.classifier_weight = classifier_weight
        self.loss_weight = loss_weight
        self.refit = refit
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def solve(self, problem: Problem, workspace: Workspace) -> DomTransNMFSolution:
        start, positives = self._start(problem), range(problem.n_classes) if problem.n_classes > 2 else [1]
        models = [self._model(problem, start, positive) for positive in positives]
        with watched(type(self).__name__, bool(self.verbose), self.callback) as on_step:
            relay = Relay(on_step, len(models) * self.max_iter)
            histories = [
                minimize(model, max_iter=0 if relay.stopped else self.max_iter, tol=self.tol, on_step=relay)
                for model in models
            ]
        for model in models if self.refit else ():
            _recode(problem, model)
        weights = np.stack([model.factors["w"][0] for model in models])
        solution = DomTransNMFSolution(
            distributions=np.zeros((0, problem.n_classes)),
            bases=np.stack([model.factors["U"] for model in models]),
            coefficients=weights[:, :-1],
            intercepts=weights[:, -1],
            n_iter=sum(history.n_iter for history in histories),
            objective=np.concatenate([history.objective for history in histories]),
        )
        codings = [unlabeled_rows(problem, model.factors) for model in models]
        return replace(solution, distributions=solution.probabilities(codings))

    def _start(self, problem: Problem) -> dict[str, Array]:
        """Plain NMF: one start for all classes. Algorithm 1 does not say of how many steps."""
        U, codings = plain_nmf(problem, self.n_topics, self.random_state)
        starts = {f"V{number}": coding for number, coding in enumerate(codings)}
        return {"U": U, **starts, "w": np.zeros((1, self.n_topics + 1), dtype=U.dtype)}

    def _model(self, problem: Problem, start: dict[str, Array], positive: int) -> Factorization:
        """Half of (6), for one class against the others."""
        a, b, g = self.discrepancy_weight / 2, self.classifier_weight / 2, self.loss_weight
        terms: list[Term] = [Ridge("w", b / 2, intercept=True)]
        for number, domain in enumerate(problem.domains):
            rows, labels = f"V{number}", 2 * domain.labels[:, [positive]] - 1
            terms.append(Reconstruction(documents_of(domain.matrix), rows, (Component("U"),)))
            if domain.labeled.any():
                terms.append(Regression(rows, "w", labels, domain.labeled, weight=b * g, intercept=True))
        sizes = np.array([len(domain.rows) for domain in problem.domains])
        is_target = np.array([domain.is_target for domain in problem.domains])
        for s, t in np.argwhere(np.outer(~is_target, is_target)):
            share = sizes[s] / sizes[~is_target].sum() * sizes[t] / sizes[is_target].sum()
            terms.append(MeanDiscrepancy(f"V{s}", f"V{t}", weight=a * share))
        constraints: dict[str, Constraint] = {**dict.fromkeys(start, NonNegative()), "w": Free()}
        order = ["w", *(f"V{number}" for number in range(len(sizes))), "U"]
        return Factorization(start, terms, constraints, order)


@dataclass(frozen=True, eq=False)
class DomTransNMFSolution(TransductiveSolution):
    """A basis and a linear classifier of codings in it: one pair for each class, or a single one where there are
    two."""

    bases: Array
    coefficients: Array
    intercepts: Array
    n_iter: int
    objective: Array

    def assign(self, X: Matrix, domain: int | None) -> Array:
        X = X.astype(self.bases.dtype, copy=False)
        return self.probabilities([fold_in(X, basis, NonNegative()) for basis in self.bases])

    def probabilities(self, codings: list[Array]) -> Array:
        """Of each class, from the codings of all runs."""
        runs = zip(codings, self.coefficients, self.intercepts, strict=True)
        values = np.column_stack([coding @ w + intercept for coding, w, intercept in runs])
        if values.shape[1] == 1:  # two classes: one value, for the second
            values = np.hstack([-values, values])
        positive = expit(2 * values.astype(np.float64))
        return np.asarray(positive / positive.sum(axis=1, keepdims=True))


def _recode(problem: Problem, model: Factorization) -> None:
    """Code all rows as new samples are coded, and solve (20) and (22) there."""
    for number, domain in enumerate(problem.domains):
        model.factors[f"V{number}"] = fold_in(domain.matrix, model.factors["U"], NonNegative())
    update(model, "w")
