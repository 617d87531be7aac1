"""Adaptive support vector machines.

J. Yang, R. Yan and A. Hauptmann, "Cross-Domain Video Concept Detection Using Adaptive SVMs", ACM Multimedia 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isthmus.core.estimator import POSITIVE, TransferClassifier
from isthmus.core.problem import Domain, Problem, labeled_documents
from isthmus.core.workspace import Workspace
from isthmus.methods.few_labels._machines import MachinesSolution
from isthmus.solvers.linear.svm import Machines, mean_of, signs, squared_hinge, svm


class ASVM(TransferClassifier):
    """Semi-supervised adaptation of the source's SVM, as little as the target's labeled documents ask for.

    The target's decision function is f_s(x) + w x, f_s being the SVM of the source. With y_i = 1 or -1, w has the least

        1/2 ||w||^2 + C sum_i max(0, 1 - y_i f_s(x_i) - y_i w x_i)^2

    over the labeled documents of the target: those that f_s gets right with a margin of one ask for nothing.

    Without labeled target documents it is the SVM of the source.

    Where this departs from the paper, and why:

    - The machines are linear and the loss is squared, as in the SVM that it is compared with here; so w can be found
      in the space of words, however many documents are labeled. The paper has kernels and the plain hinge.
    - w has a constant, penalised like a word's weight, so that the target may have another class prior.
    - All sources make one f_s. Each target has its own w; new documents of no named domain get the mean of the
      targets' functions, and those of a source f_s.
    - With several classes, each against the others.

    Probabilities are the softmax of margins: good for ranking, not calibrated.

    Parameters
    ----------
    C : float
        Inverse regularization of both f_s and w.

    Attributes
    ----------
    source_ : Machines
        f_s: `coef`, `intercept`.
    machines_ : list of Machines
        The decision functions of all domains.

    Examples
    --------
    "sick" is bad in the source, and the target's labeled documents say otherwise; "great" is good in both.

    >>> import numpy as np, isthmus
    >>> X = np.array([[1., 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]])  # great, sick
    >>> labels, domains = ["good", "bad"] * 2 + ["good", "good", "?", "?"], ["shop"] * 4 + ["street"] * 4
    >>> known = [True] * 6 + [False] * 2
    >>> model = isthmus.ASVM().fit(X, labels, sample_domain=domains, target_domain="street", sample_labeled=known)
    >>> model.transduction_[6:].tolist()
    ['good', 'good']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C": [POSITIVE]}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def solve(self, problem: Problem, workspace: Workspace) -> ASVMSolution:
        if problem.labeled_sources:
            source = svm(*labeled_documents(problem.labeled_sources), problem.n_classes, self.C)
        else:
            columns = 1 if problem.n_classes == 2 else problem.n_classes
            source = Machines(np.zeros((columns, problem.n_words)), np.zeros(columns))
        machines = [self._adapted(source, problem, domain) for domain in problem.domains]
        targets = [machine for machine, domain in zip(machines, problem.domains, strict=True) if domain.is_target]
        return ASVMSolution(machines, mean_of(targets or [source]), source)

    def _adapted(self, source: Machines, problem: Problem, domain: Domain) -> Machines:
        if not (domain.is_target and domain.labeled.any()):
            return source
        X, numbers = labeled_documents([domain])
        aims = signs(numbers, problem.n_classes)
        required = 1 - aims * source.margins(X)
        blocks = [X, np.ones((X.shape[0], 1))]
        found = [squared_hinge(blocks, aim, short, self.C) for aim, short in zip(aims.T, required.T, strict=True)]
        change = np.stack(found)
        return source + Machines(change[:, :-1], change[:, -1])


@dataclass(frozen=True, eq=False)
class ASVMSolution(MachinesSolution):
    """Machines of all domains, and that of the source which they began as."""

    source: Machines
