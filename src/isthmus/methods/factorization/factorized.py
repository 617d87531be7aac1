"""A factorization of one's own parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from isthmus.core.estimator import POSITIVE
from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import FIT_SCALES, Design
from isthmus.methods.factorization._design_checks import check_design
from isthmus.methods.factorization.recipes import Recipe
from isthmus.solvers.factorization import Component, Constraint


class Factorized(TopicClassifier):
    """Tri-factorization of all domains, put together from parts: components, terms and constraints.

    Minimizes, with X_d documents x words,

        fit_weight / s * sum_d || X_d - V_d M_d^T ||^2 + the terms,    M_d = sum of weight * F H over the components,

    where V_d holds the classes of domain d's documents. A star in a factor's name stands for the domain: `W*` are W_0,
    W_1 and so on, one for each domain, and U is one for all; `V*` are the factors over documents. The parts are in
    `isthmus.parts`.

    By itself it is `NMTF`. With Component("U", "H", 0.7) and Component("W*", "H", 0.3) it is `TCL`; `DTL`, `DTLM`,
    `GCMF` and `DKT` are made of these parts, too.

    Parameters
    ----------
    components : sequence of Component
        What M_d is the sum of: each a factor over words, its association of topics and classes, and its weight. A
        factor without an association has one column for each class.
    terms : sequence of Recipe
        What is added to the fit, such as `isthmus.parts.Neighbors("V*", weight=0.1)`. A weight of zero switches a
        term off.
    constraints : dict of factor to Constraint, or None
        What is to differ from this: columns of factors over words sum to one (those without an association are
        non-negative), associations are non-negative, and rows of V_d sum to one.
    n_topics : int or dict
        Columns of the factors over words that have an association; a dict gives each its own, by name.
    fit_weight : float
    fit_scale : "none", "length" or "corpus"
        s: one; the mean squared length of a document, which makes the weights of terms independent of the scale of X;
        or that times the number of all documents, in thousands, which makes them independent of both.
    target_weight : float
        How much more the fit of a target counts than that of a source.
    freeze_labels : bool
        Whether V_d of a fully labeled domain stays at the labels. If not, documents keep their class all the same, but
        where rows of V_d need not sum to one, the fit decides how much each counts.
    exponent : float
        1 for the plain update, 1/2 for the square-root update, which `Orthogonal` and `LabelRegression` need.
    start_C, n_init, max_iter, tol, random_state, verbose, callback: as for `TCL`.

    Attributes
    ----------
    common_topics_, domain_topics_, association_ : as for `TCL`
        Components that do not share an association have topics of their own, side by side as in `DTL`.
    coefficients_ : ndarray of classes x classes
        A of `LabelRegression`, if that is among the terms.

    Examples
    --------
    >>> import numpy as np, isthmus
    >>> from isthmus.parts import Component, Neighbors
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1], [1, 1, 0, 0], [0, 0, 1, 1]])
    >>> model = isthmus.Factorized(
    ...     [Component("U", "H", 0.5), Component("W*", "H", 0.5)],
    ...     terms=[Neighbors("V*", weight=0.1, n_neighbors=1)],
    ...     n_topics=2,
    ...     random_state=0,
    ... )
    >>> model.fit(X, ["a", "a", "b", "b", None, None], sample_domain=[1] * 4 + [-1] * 2).transduction_[4:].tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "components": [list, tuple],
        "terms": [list, tuple],
        "constraints": [dict, None],
        "n_topics": [*FactorizationClassifier._parameter_constraints["n_topics"], dict],
        "fit_weight": [POSITIVE],
        "fit_scale": [StrOptions(set(FIT_SCALES))],
        "target_weight": [POSITIVE],
        "freeze_labels": ["boolean"],
        "exponent": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        components: Sequence[Component] = (Component("W*", "H"),),
        *,
        terms: Sequence[Recipe] = (),
        constraints: Mapping[str, Constraint] | None = None,
        n_topics: int | Mapping[str, int] = 20,
        fit_weight: float = 0.5,
        fit_scale: str = "none",
        target_weight: float = 1.0,
        freeze_labels: bool = True,
        exponent: float = 1.0,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.components = components
        self.terms = terms
        self.constraints = constraints
        self.n_topics = n_topics  # type: ignore[assignment]  # the other methods have one number for all
        self.fit_weight = fit_weight
        self.fit_scale = fit_scale
        self.target_weight = target_weight
        self.freeze_labels = freeze_labels
        self.exponent = exponent
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        return Design(
            self.components,
            self.n_topics,
            self.terms,
            self.constraints or {},
            self.fit_weight,
            self.fit_scale,
            self.target_weight,
            self.freeze_labels,
            self.exponent,
        )

    def _validate_params(self) -> None:
        super()._validate_params()
        check_design(self.design())
