"""Topical Correspondence Learning.

Z. Chen and W. Zhang, "Domain Adaptation with Topical Correspondence Learning", IJCAI 2013.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from isthmus.core.progress import Callback
from isthmus.methods.factorization._base import FactorizationClassifier, TopicClassifier
from isthmus.methods.factorization._design import Design
from isthmus.solvers.factorization import Component


class TCL(TopicClassifier):
    """Tri-factorization with topics of common words and of each domain's own words, tied one to one.

    Minimizes, over all domains d, source and target alike (eq. 4),

        1/2 sum_d || X_d - V_d H^T (a U + (1 - a) W_d)^T ||^2,

    with X_d documents x words here. U holds the words that a topic has in all domains, W_d those that it has in domain
    d alone, H how topics and classes go together, and V_d the classes of documents. Columns of U and W_d and rows of
    V_d sum to one. Because one H serves both U and W_d, a domain's own words inherit the class of the common words
    that they appear with.

    Labels of the source stay as they are; those of the target start from logistic regression (section 3.3).

    Departures: each factor is normalized as soon as it is updated, and V_d of the source is not updated at all: the
    objective falls then. As printed (`as_printed=True`), all V_d are updated by eq. 7, eq. 8 reads them as they are,
    and all factors are normalized after it. Theorem 2 does not hold there. The start's C is 100, where the paper
    cross-validates it on the source.

    It reads topics. Where the classes are not what the documents are *about*, as with opinions in product reviews, it
    can do worse than the classifier that it starts from.

    Parameters
    ----------
    n_topics : int
        Columns of U and W_d.
    common_weight : float
        a, the share of common words in each topic. The paper tunes it, and recommends 0.1 for "the weight of
        domain-specific vocabularies" (section 4.3): that is 0.9 here, although eq. 4 writes alpha beside U. With
        unit-length tf-idf rows, 0.7 to 0.9 are safe and 0.1 is not.
    start_C : float
        Inverse regularization of the logistic regression that the target's labels start from. Cross-validation on the
        source alone prefers large values, and a decided start makes the result depend less on the random start of the
        other factors. Relative to the mean squared length of a document, which is one for unit rows.
    n_init : int
        Random starts to try; the one with the lowest objective is kept.
    max_iter : int
        At most so many iterations.
    tol : float
        Stop when the objective changes by less than this share of itself.
    as_printed : bool
        Update in the order of the paper's eq. 5 to 8; see above.
    random_state : int, RandomState or None
        Start of U, W_d and H.
    verbose : bool
        Show a progress bar.
    callback : callable or None
        Called after each iteration with a `Step`; return True to stop.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> import isthmus
    >>> texts = ["the engine of the car stalls", "brakes and engine of this car", "the doctor saw a fever",
    ...          "fever and cough, said the doctor", "the engine of the boat is loud", "cough and fever at sea"]
    >>> labels = ["machine", "machine", "health", "health", None, None]
    >>> domains = ["land"] * 4 + ["sea"] * 2
    >>> X = TfidfVectorizer(stop_words="english").fit_transform(texts)
    >>> clf = isthmus.TCL(n_topics=2, random_state=0).fit(X, labels, sample_domain=domains, target_domain="sea")
    >>> clf.transduction_[4:].tolist()
    ['machine', 'health']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationClassifier._parameter_constraints,
        "common_weight": [Interval(Real, 0, 1, closed="both")],
        "as_printed": ["boolean"],
    }

    def __init__(
        self,
        n_topics: int = 10,
        *,
        common_weight: float = 0.7,
        start_C: float = 100.0,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        as_printed: bool = False,
        random_state: Any = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.common_weight = common_weight
        self.start_C = start_C
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.as_printed = as_printed
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def design(self) -> Design:
        a = self.common_weight
        components = [Component("U", "H", a), Component("W*", "H", 1 - a)]
        return Design(components, self.n_topics, freeze_labels=not self.as_printed, restore_last=self.as_printed)
