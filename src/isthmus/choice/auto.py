"""The automatic method: tries unlike methods, decides without a target label, and says how far to trust the result."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.metaestimators import available_if

from isthmus.base import TransferClassifier
from isthmus.choice import alarm as alarms
from isthmus.choice import candidates as names
from isthmus.choice.alarm import Alarm
from isthmus.choice.candidates import Ensemble
from isthmus.choice.evidence import tempered
from isthmus.choice.leaderboard import Leaderboard
from isthmus.choice.trial import Clock, Trial
from isthmus.choice.trust import Estimate, sharpness_for, updated
from isthmus.engine import mean_squared_length
from isthmus.methods.shares import SHARES, known_or
from isthmus.problem import Domain, Problem
from isthmus.topics import Topics
from isthmus.typing import Array, Mask, Matrix


def _asked_for_topics(auto: Auto) -> bool:
    return names.TOPICS in getattr(auto, "chosen_", ())


class Auto(TransferClassifier):
    """Several unlike methods on one problem; the evidence, none of it a target label, decides which of them answer.

    Two teams stand by. For classes that are what documents are about, self-training, TCL and a naive Bayes mixture of
    the target; for classes that are something else, such as opinions, two transductive classifiers that look at words
    and at what goes with them. Which is asked is decided by up to three indicators: whether the classes part the
    target's graph of similar documents, whether neighbours in the source have the same label, and whether a long
    self-training stays where a short one led. The team's answers are averaged. Where the domains look unrelated a
    `TransferAlarm` says so, and where that is hardly to be doubted the classifier trained on the source alone answers.

    If some target documents are labelled (`sample_labeled`; twenty are a help), they decide with the indicators,
    correct the class shares and the estimated accuracy, and are learned from.

    Probabilities are calibrated in the large: their mean is the estimated accuracy.

    Parameters
    ----------
    target_shares : "source", "unknown" or dict of class to share
        Shares of the classes in the whole target: like the source's, not known, or given. Most candidates rank
        documents and give out labels at these shares, which gains much where they are right and harms where they are
        not. With "unknown", candidates that need them are left out, and others answer in their place.
    max_time : float or None
        Seconds after which no further candidate is started. Cheap ones come first; how long one will take is guessed
        from the first.
    random_state : int, RandomState or None
        Start of TCL.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Every candidate: its time, its confidence, and why it was asked or not.
    chosen_ : tuple of str
        The candidates whose answers were averaged.
    estimated_accuracy_ : Estimate
        Of the labels given to unlabelled documents: `value`, `low` and `high`.
    alarms_ : list of Alarm
        What to know before using the labels: `kind` and `sentence`.
    evidence_ : Evidence
        The indicators.
    target_shares_ : dict or None
        The class shares among the documents without a label that candidates went by; None if they were not known.

    Examples
    --------
    >>> import isthmus
    >>> from isthmus.data import load_messages
    >>> messages = load_messages()
    >>> photos = messages.groups == messages.groups[0]
    >>> X = isthmus.text.text_vectorizer().fit_transform(messages.texts)
    >>> auto = isthmus.Auto(random_state=0)
    >>> auto = auto.fit(X, messages.labels, sample_domain=messages.groups, target_domain=messages.groups[~photos][0])
    >>> auto.chosen_
    ('words + mSDA, transductive', 'words + LSA, transductive')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "target_shares": SHARES,
        "max_time": [Interval(Real, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        target_shares: str | dict[Any, float] = "source",
        max_time: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.target_shares = target_shares
        self.max_time = max_time
        self.random_state = random_state

    def _learn(self, problem: Problem) -> list[Array]:
        length = mean_squared_length(problem) ** 0.5
        self._scale = 1.0 if np.isclose(length, 1, rtol=1e-6) else 1 / length
        problem = problem if self._scale == 1 else problem.scaled(self._scale)  # the rules were found at this length
        hidden, checked = _without_target_labels(problem)
        clock = Clock(self.max_time)
        trial = Trial(hidden, self.target_shares, clock, self.random_state)
        trial.run()
        choice = trial.choose(checked)
        estimate = choice.estimate
        if checked is not None:
            shares = trial.corrected_shares(choice, checked)
            # Known better now: choose again, if there is the time.
            if shares != self.target_shares and clock.has(sum(trial.seconds.values())):
                trial = Trial(hidden, shares, clock, self.random_state)
                trial.run()
                choice = trial.choose(checked)
            right, claimed = choice.check(checked)
            estimate = updated(choice.estimate, claimed, right, problem.n_classes, len(checked) - len(right))
            if clock.has(trial.seconds_of(choice.names)):
                # What is known of the target is learned from as well: the chosen candidates, once more.
                before = trial
                trial = Trial(problem, trial.corrected_shares(choice, checked), Clock(None), self.random_state)
                trial.run(only=choice.names)
                choice = trial.settled(choice, before, checked)
        values = choice.values
        self._ensemble = Ensemble(
            [trial.candidates[name].estimator for name in choice.names],
            choice.spreads,
            sharpness_for(values, estimate.value),
        )
        self.chosen_ = choice.names
        self.estimated_accuracy_: Estimate = estimate
        self.alarms_: list[Alarm] = choice.alarms
        self.evidence_ = choice.evidence
        self.target_shares_ = trial.shares_by_class()
        self.leaderboard_ = Leaderboard(choice.rows)
        alarms.ring(choice.alarms)
        return known_or(self._answer, problem)

    def _assign(self, X: Matrix, domain: int | None) -> Array:
        return self._answer(X if self._scale == 1 else X * X.dtype.type(self._scale), domain)

    def _answer(self, X: Matrix, domain: int | None) -> Array:
        """Of documents at the length that the candidates know."""
        return tempered(self._ensemble.values(X, domain), self._ensemble.sharpness)

    @available_if(_asked_for_topics)
    def topics(self, feature_names: Any = None, n_words: int = 10) -> Topics:
        """The topics of TCL, if it was among those asked; there is no such method if it was not. See `TCL.topics`."""
        estimator = copy(self._ensemble.estimators[self.chosen_.index(names.TOPICS)])  # a model file holds it as it is
        for attribute in ("classes_", "domains_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, attribute):
                setattr(estimator, attribute, getattr(self, attribute))
        return estimator.topics(feature_names, n_words)


def _without_target_labels(problem: Problem) -> tuple[Problem, Array | None]:
    """The same problem as if no target label were known, and those labels: one-hot rows over its unlabelled documents.

    Labels of a class that the source lacks stay: without them nobody would know of it. None if there are no others, if
    nothing else is labelled, or if nothing is left to be labelled.
    """
    if not problem.labeled_sources or all(domain.fully_labeled for domain in problem.domains):
        return problem, None
    lacking = np.sum([domain.labels.sum(axis=0) for domain in problem.labeled_sources], axis=0) == 0
    hidden = tuple(_knowing_only(domain, lacking) if domain.is_target else domain for domain in problem.domains)
    checked = np.concatenate([own.labels[~new.labeled] for own, new in zip(problem.domains, hidden, strict=True)])
    if not checked.any():
        return problem, None
    left = np.sum([domain.labels.sum(axis=0) for domain in hidden], axis=0)
    return problem.relabeled(hidden, left / left.sum()), checked


def _knowing_only(domain: Domain, classes: Mask) -> Domain:
    """The same documents with the labels of some classes alone."""
    labels = domain.labels * classes
    return replace(domain, labels=labels, labeled=np.asarray(labels.any(axis=1)))
