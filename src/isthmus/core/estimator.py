"""The estimator contract: scikit-learn's, with rows of all domains in one X."""

from __future__ import annotations

import os
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from numbers import Integral, Real
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import Interval, InvalidParameterError
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted
from threadpoolctl import ThreadpoolController

from isthmus.core.domains import find_domains, row_names
from isthmus.core.labels import visible_labels
from isthmus.core.numerics import take_rows
from isthmus.core.parts import by_parts
from isthmus.core.problem import Problem, has_words, make_problem, read_documents, warn_of_empty
from isthmus.core.solution import Solution, TransductiveSolution, like_later_ones, published
from isthmus.core.workspace import Workspace
from isthmus.typing import Array, DomainNames, Mask


class Together:
    """A setting of the whole process, made by the first thread that comes in and undone by the last one that leaves.

    If each put back what it had found, the first to leave would take the setting from the others.
    """

    def __init__(self, setting: Callable[[], AbstractContextManager[Any]]) -> None:
        self._setting = setting
        self._begin_anew()
        if hasattr(os, "register_at_fork"):  # the threads inside do not survive a fork
            os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        self._lock, self._n_inside, self._held = Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._held.enter_context(self._setting())
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside = max(self._n_inside - 1, 0)
            if not self._n_inside:
                self._held.close()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _one_thread(api: str) -> AbstractContextManager[Any]:
    return cast(AbstractContextManager[Any], _controller().limit(limits=1, user_api=api))


ONE_BLAS_THREAD, ONE_OPENMP_THREAD = (Together(partial(_one_thread, api)) for api in ("blas", "openmp"))
"""Libraries' own threads are left out: our products are too narrow to gain from them, and no result may depend on their
number."""

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")

READ_WITH_X = {"n_features_in_", "feature_names_in_"}
"""What scikit-learn's validation sets, before anything else is known to be right."""


class TransferClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of every method of domain adaptation: labels of source domains, documents of target domains.

    A method is a function from a problem to a solution, `solve`. Everything else happens here: validation, labels
    that are known, documents without a word, and the attributes that users see.

    Attributes
    ----------
    n_features_in_ : int
        The number of X's columns.
    feature_names_in_ : ndarray
        Their names, if X is a DataFrame with strings for names.
    classes_ : ndarray
        The classes, from the labels that may be read alone.
    class_prior_ : ndarray
        Share of each class among the labeled rows.
    domains_ : list
        Domain names: sources and then targets, each by first appearance.
    target_domains_ : list
        Those of them that were targets.
    transduction_ : ndarray
        A label for every row of X.
    label_distributions_ : ndarray
        Class probabilities for every row of X.
    solution_ : Solution
        What `solve` returned. Its public fields are attributes of the estimator, too.
    """

    # Requested by default, so that metadata routing works as soon as a user switches it on. The names are mangled
    # on purpose: scikit-learn looks for exactly these.
    __metadata_request__fit: ClassVar = {"sample_domain": True, "target_domain": True, "sample_labeled": True}
    __metadata_request__predict: ClassVar = {"sample_domain": True}
    __metadata_request__predict_proba: ClassVar = {"sample_domain": True}
    __metadata_request__score: ClassVar = {"sample_domain": True}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _positive_only: ClassVar[bool] = False
    """Whether X must not be negative."""
    _poor_on_blobs: ClassVar[bool] = False
    """Whether clouds of points around centers, as scikit-learn's checks draw them, are not told apart."""

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_domain: DomainNames | None = None,
        target_domain: Any = None,
        sample_labeled: Any = None,
    ) -> Self:
        """Learn from the labeled rows of X, and label all others (transduction).

        Parameters
        ----------
        X : sparse or dense matrix, or DataFrame, documents x words
            The documents of all domains. Their order has almost no effect. It can change the last bits of sums, which
            of several equally near documents count as neighbors (SC, SGT, DTLM, GCMF), which random start each domain
            gets, as factorizations draw them for one source after the other, and which random numbers each document
            of LSA and of what learns from its dimensions (`features="lsa"`, Auto), by which labels in doubt change.
        y : array-like, one entry per row
            The labels. Entries of target rows are never read, whatever stands there.
        sample_domain : array-like, one name per row, optional
            The domain of each row: any hashable names. Without it, X is one labeled domain.
        target_domain : name or list of names, optional
            The domain(s) to label. Without it, negative integers in `sample_domain` are targets.
        sample_labeled : boolean mask, one entry per row, optional
            Which labels may be read. By default, those of all rows outside the target domains. Say True for a few
            target rows whose label is known.
        """
        self.check_parameters()
        with self._as_before_if_it_fails():
            problem = make_problem(self, X, y, sample_domain, target_domain, sample_labeled)
            del X, y, sample_domain, sample_labeled  # where nobody else holds them, there is room
            with ONE_BLAS_THREAD:
                solution = self.solve(problem, self._workspace())
                found = solution.transduce(problem)
            self._publish(problem, solution, found)
        return self

    def fit_remote(self, problem: Problem) -> Any:
        """The same for a target that lies elsewhere (`remote_problem`), if the method `passes_over_parts`.

        Returns the class probabilities of its documents, which lie there as well: the estimator shows no document's.
        """
        self.check_parameters()
        with ONE_BLAS_THREAD:
            solution = self.solve(problem, self._workspace())
            if isinstance(solution, TransductiveSolution):
                found = solution.transduce(problem)
                solution = replace(solution, distributions=None)  # which belong to the cluster
            else:
                found = like_later_ones(solution, problem)
        self._show(problem, solution, np.zeros((0, problem.n_classes)))
        return found

    @contextmanager
    def _as_before_if_it_fails(self) -> Iterator[None]:
        """A fit that is refused leaves the model of an earlier one as it was: validation sets its features first."""
        before = {name: value for name, value in vars(self).items() if name in READ_WITH_X}
        try:
            yield
        except BaseException:
            for name in READ_WITH_X & set(vars(self)):
                delattr(self, name)
            self.__dict__.update(before)
            raise

    @property
    def passes_over_parts(self) -> bool:
        """Whether unlabeled documents may lie elsewhere (`fit_remote`): `solve` passes over them (`over_parts`), or
        does not look at them at all."""
        return False

    @property
    def learns_from_a_sample(self) -> bool:
        """Whether, of many unlabeled documents, `solve` looks at a few alone, so that it needs no others."""
        return False

    def _workspace(self) -> Workspace:
        """Where `solve` leaves what it makes on its way: a new one for each fit."""
        return Workspace()

    @abstractmethod
    def solve(self, problem: Problem, workspace: Workspace) -> Solution:
        """The method itself: from a problem to a solution. The estimator stays as it is.

        Parameters
        ----------
        problem : Problem
            Matrices by domain, and the labels that may be read.
        workspace : Workspace
            Where to look for, and leave, what other methods on the same problem need as well.
        """

    def _publish(self, problem: Problem, solution: Solution, found: Array) -> None:
        """Known labels, the prior for documents without a word, and what the solution says of all others."""
        distributions = np.tile(problem.class_prior.astype(np.float64), (problem.n_rows, 1))
        for domain, part in zip(problem.domains, np.split(found, problem.ends_of_unlabeled), strict=True):
            distributions[domain.rows[~domain.labeled]] = part
        self._refuse_unknown(distributions)
        known = problem.known.any(axis=1)
        distributions[known] = problem.known[known]
        self._show(problem, solution, distributions)

    def _show(self, problem: Problem, solution: Solution, distributions: Array) -> None:
        if (before := getattr(self, "solution_", None)) is not None:
            for name in published(before):  # of an earlier fit, which may have had others
                self.__dict__.pop(name, None)
        self.solution_ = solution
        for name, value in published(solution).items():
            setattr(self, name, value)
        self.classes_ = problem.classes
        self.class_prior_ = problem.class_prior.astype(np.float64)
        self.domains_ = [domain.name for domain in problem.domains]
        self.target_domains_ = [domain.name for domain in problem.targets]
        self.label_distributions_ = distributions
        self.transduction_ = self.classes_[distributions.argmax(axis=1)]

    def _refuse_unknown(self, distributions: Array) -> None:
        """NaN is no probability."""
        unknown = ~np.isfinite(distributions).all(axis=1)
        if unknown.any():
            raise ValueError(
                f"{type(self).__name__} has no probabilities for row {int(unknown.argmax())} of X: some numbers are "
                "too far from the others. Scale the columns or rows of X alike, and fit the model again."
            )

    def predict_proba(self, X: Any, sample_domain: Any = None) -> Array:
        """Class probabilities of documents that were not there at `fit`.

        Parameters
        ----------
        X : documents x words
        sample_domain : name, or one name per row, optional
            Whose words to read the documents with. By default the target's (the mean of the targets', if several).
        """
        check_is_fitted(self, "classes_")
        matrix = read_documents(self, X, reset=False)
        full = has_words(matrix)
        warn_of_empty(int((~full).sum()), len(full))
        distributions = np.tile(self.class_prior_, (len(full), 1))
        with ONE_BLAS_THREAD:
            for domain, rows in self._rows_by_domain(sample_domain, full):
                read = partial(self.solution_.assign, domain=domain)
                distributions[rows] = by_parts(read, matrix if rows.all() else take_rows(matrix, np.flatnonzero(rows)))
        self._refuse_unknown(distributions)
        return distributions

    def predict(self, X: Any, sample_domain: Any = None) -> np.ndarray[Any, Any]:
        """Labels of documents that were not there at `fit`. See `predict_proba`."""
        distributions = self.predict_proba(X, sample_domain)
        return np.asarray(self.classes_[distributions.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None, sample_domain: Any = None) -> float:
        """Accuracy of `predict`."""
        found = self.predict(X, sample_domain)
        true = visible_labels(y, np.ones(len(found), dtype=bool))
        return float(accuracy_score(true, found, sample_weight=sample_weight))

    def check_parameters(self) -> None:
        """Refuse parameters out of their ranges: scikit-learn's checks, and True, which is not a number of topics."""
        self._validate_params()
        for name, value in self.get_params(deep=False).items():
            for rule in self._parameter_constraints.get(name, []) if isinstance(value, bool) else []:
                if isinstance(rule, Interval) and rule.type is Integral:
                    raise InvalidParameterError(
                        f"The {name!r} parameter of {type(self).__name__} must be {rule}. Got {value} instead."
                    )

    def _read_feature_names(self, feature_names: Any) -> Any:
        """The words, as given or as a DataFrame's columns named them at `fit`."""
        names = _check_feature_names_in(self, None) if feature_names is None else feature_names
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} entries and the model {self.n_features_in_} words: "
                "give the names of the vectorizer that made X."
            )
        return names

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What `fit` publishes of a solution."""

    def _rows_by_domain(self, sample_domain: Any, full: Mask) -> list[tuple[int | None, Mask]]:
        """Masks of the non-empty rows to read with each domain's words."""
        if sample_domain is None:
            groups: list[tuple[int | None, Mask]] = [(None, full)]
        else:
            one_name = isinstance(sample_domain, Hashable) and (
                sample_domain in self.domains_ or not isinstance(sample_domain, tuple)
            )
            names = [sample_domain] * len(full) if one_name else row_names(sample_domain, len(full))
            groups = [
                (self.domains_.index(name), full & np.array([own == name for own in names]))
                for name in find_domains(names, self.domains_, "sample_domain")
            ]
        return [(domain, rows) for domain, rows in groups if rows.any()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._positive_only
        tags.classifier_tags.poor_score = self._poor_on_blobs
        return tags
