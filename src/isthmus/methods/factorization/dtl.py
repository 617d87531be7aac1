"""Dual Transfer Learning.

M. Long, J. Wang, G. Ding, W. Cheng, X. Zhang and W. Wang, "Dual Transfer Learning", SDM 2012.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import Component


class DTL(TopicClassifier):
    """Tri-factorization with common topics of all domains and topics of each domain's own, side by side.

    Minimizes, over all domains d, source and target alike (eq. 3 of TCL's paper, which gives DTL's objective),

        1/2 sum_d || X_d - V_d [H_c; H_s]^T [U, W_d]^T ||^2,

    with X_d documents x words. U holds the topics that all domains share, W_d those that domain d has alone; both
    kinds have an association with the classes, H_c and H_s, and both associations serve all domains. That is the dual
    of the name: the domains have topics in common (marginal distributions), and what topics say of classes
    (conditional ones). Columns of U and W_d and rows of V_d sum to one.

    Unlike in `TCL`, a domain's own topics are tied to no common one, but only to those of the other domains, by H_s.
    Without common topics this is `NMTF`, and with common ones alone all domains are read with the same words.

    Departures. The paper itself was not at hand, only what others say of it. Labels start as in `TCL`, for known
    labels stay and the others come from logistic regression; everything else starts at random.

    Parameters
    ----------
    n_topics : int
        Columns of [U, W_d]. Twenty, as TCL's paper gives the methods that it compares with.
    common_share : float
        The share of the topics that are common. Half of them: nothing speaks for more of one kind.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`.

    Attributes
    ----------
    common_topics_, domain_topics_ : as for `TCL`; a topic has words in one of the two, and zeros in the other.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> isthmus.DTL(n_topics=2, random_state=0).fit(X, ["a", "a", "b", "b"]).predict([[3., 1, 0, 0]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "common_share": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        *,
        common_share: float = 0.5,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.common_share = common_share
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        n_common = round(self.common_share * self.n_topics)
        n_topics = {"U": n_common, "W*": self.n_topics - n_common}
        both = Component("U", "H common"), Component("W*", "H")
        return Design([component for component in both if n_topics[component.words]], n_topics)
