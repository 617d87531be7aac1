"""Feature replication.

H. Daume III, "Frustratingly Easy Domain Adaptation", ACL 2007.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Problem
from isthmus.core.workspace import Workspace
from isthmus.methods.few_labels._machines import MachinesSolution
from isthmus.solvers.linear.svm import Machines, mean_of, svm
from isthmus.typing import Matrix, Positions


class FR(TransferClassifier):
    """Feature replication, semi-supervised: an SVM with every word twice, for all domains and for the document's own.

    A document x of domain d becomes [x, 0, ..., x, ..., 0]: the common words, then a block for each domain, of which
    only that of d is filled. The machine decides word by word what holds everywhere and what in one domain alone. A
    document of the target is judged by the common words and the target's own.

    It needs a few labeled target documents. Without any, the target's block stays empty: what is left is the source's
    SVM at twice its C, with half its margins, so the same labels as those of an SVM.

    Where this departs from the paper, and why:

    - The constant of the machine is replicated like a word, so that domains may differ in their class priors and the
      case without labeled target documents is an SVM's exactly.
    - The paper tries several classifiers. Here it is a linear SVM with squared hinge loss, at liblinear's C of one.
    - There may be several sources and targets, each with a block. New documents of no named domain get the mean of
      the targets' blocks.

    Probabilities are the softmax of margins: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularization.

    Attributes
    ----------
    machines_ : list of Machines
        For each domain the common weights plus its own: `coef`, `intercept`.

    Examples
    --------
    "sick" is bad in the source, and the target's labeled documents say otherwise; "great" is good in both.

    >>> import numpy as np, isthmus
    >>> X = np.array([[1., 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]])  # great, sick
    >>> labels, domains = ["good", "bad"] * 2 + ["good", "good", "?", "?"], ["shop"] * 4 + ["street"] * 4
    >>> known = [True] * 6 + [False] * 2
    >>> model = isthmus.FR().fit(X, labels, sample_domain=domains, target_domain="street", sample_labeled=known)
    >>> model.transduction_[6:].tolist()
    ['good', 'good']
    >>> model.predict([[0., 1]], sample_domain="shop").tolist()
    ['bad']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE]}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> MachinesSolution:
        labeled = [number for number, domain in enumerate(problem.domains) if domain.labeled.any()]
        ends = np.cumsum([0, *(int(problem.domains[number].labeled.sum()) for number in labeled)])
        X, numbers = problem.labeled
        # liblinear's own intercept is the common constant.
        together = svm(replicated(sp.csr_array(X), ends), numbers, problem.n_classes, self.C)

        common = Machines(together.coef[:, : problem.n_words], together.intercept)
        blocks = np.split(together.coef[:, problem.n_words :], len(labeled), axis=1)
        machines = [common for _ in problem.domains]
        for number, block in zip(labeled, blocks, strict=True):
            machines[number] = common + Machines(block[:, :-1], block[:, -1])
        targets = [machine for machine, domain in zip(machines, problem.domains, strict=True) if domain.is_target]
        return MachinesSolution(machines, mean_of(targets or machines))


def replicated(X: Matrix, ends: Positions) -> Matrix:
    """[X, blocks]: rows from one of `ends` to the next once more, with a constant, in columns of their own."""
    rows = sp.hstack([X, sp.csr_array(np.ones((X.shape[0], 1)))], format="csr")
    return sp.hstack([X, sp.block_diag([rows[first:last] for first, last in pairwise(ends)])], format="csr")
