"""The automatic method: tries unlike methods, decides without a target label, and estimates its accuracy."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from isthmus.auto import candidates, sample
from isthmus.auto.decide import Decision, decide, relearned
from isthmus.auto.ensemble import EnsembleSolution, FirstColumnsSolution
from isthmus.auto.estimate import updated
from isthmus.auto.few_labels import class_they_were_chosen_by, corrected, with_learner
from isthmus.auto.leaderboard import Leaderboard
from isthmus.auto.reuse import SameProblem, with_known_documents
from isthmus.auto.run import Clock, Run
from isthmus.auto.warnings import UNRELATED, emit, labels_of_one_class
from isthmus.core.estimator import NOT_NEGATIVE, TransferClassifier
from isthmus.core.problem import Domain, Problem
from isthmus.core.solution import Solution, like_later_ones
from isthmus.core.workspace import Workspace
from isthmus.inspection.topics import Topics
from isthmus.methods import TopicSolution
from isthmus.typing import Array, Mask, Positions


def _has_topics(auto: Auto) -> bool:
    return candidates.TOPICS in getattr(auto, "chosen_", ())


class Auto(TransferClassifier):
    """Model selection without target labels: label-free evidence weighs several unlike methods in one ensemble.

    Label shift is the rule, so that the first members are hypotheses about the target: self-trainings that are told no
    class prior and find one in the target, on words and LSA, on words and DCI, and on these with classes of equal
    weight; where their priors are apart, cautious ones join them, transductive regressions that never let go of the
    source. Each counts as much as the evidence for its pseudo-labels says. Classes that are what documents are about
    (the target's graph of similar documents and the source's neighbors tell) have a naive Bayes mixture of the target
    as a member, too, TCL unless the prior is another, and a logistic regression to which all that they say is
    distilled; other classes, such as opinions, a transductive classifier, and one that knows the source alone. Where a
    domain classifier hardly tells the domains apart, and nothing has shifted for the source's classifier, that is the
    other member. Embeddings beside words are read by all that learn from pseudo-labels. Where the domains look
    unrelated a `TransferWarning` says so, and where that is hardly to be doubted the fallback answers: the classifier
    trained on the source alone.

    The estimated accuracy is how far candidates of unlike kinds agree, less where labels of the target do not lead back
    to the source's, and where neighbors do not tell the classes in the source; where nothing has shifted,
    cross-validation in the source is half of it.

    If some target documents are labeled (`sample_labeled`; twenty are a help), they decide with the indicators,
    correct the target prior and the estimated accuracy, and are learned from.

    Probabilities are calibrated in the large: their mean is the estimated accuracy.

    Of more than 20,000 source or target documents, a sample decides. Members learn from all that is labeled and from a
    sample of the target, all of which is then labeled like documents that come later.

    Parameters
    ----------
    target_prior : "auto", "source", "unknown" or dict of class to probability
        The class prior of the whole target. Most candidates rank documents and give out pseudo-labels at this prior,
        which gains much where it is right and harms where it is not. "auto", or "unknown", weighs those that
        hypotheses find in the target by the evidence for them; see `isthmus.auto.label_shift`. "source" is the
        source's (no label shift).
    n_embedding_features : int
        How many of X's columns, the last ones, are embeddings that stand beside words, as
        `isthmus.text.WordsAndEmbeddings` makes them.
    max_time : float or None
        Seconds after which no further candidate is started. Cheap ones come first; how long one will take is guessed
        from the first.
    random_state : int, RandomState or None
        Start of TCL.
    warm_start : bool
        Keep what `fit` makes on its way, and use it in the next call if that has the same X and the same labels but
        for some of the target: a refit after a few labels takes a fraction of the time, and finds the same. The
        memory is held as long as the estimator.
    novelty : bool
        Set aside target documents that look like a class which the source does not have (open set): `novel_` says
        which. They keep the label of the class that they are most like, and the estimated accuracy is that of the
        others. Documents that come later get a label of a known class, whatever they are.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Every candidate: its time, its confidence, and why it is a member of the ensemble or not.
    chosen_ : tuple of str
        The members of the ensemble.
    estimated_accuracy_ : Estimate
        Of the labels given to unlabeled documents: `value`, and `low` and `high` of a 90% interval.
    warnings_ : list of Caution
        What to know before using the labels: `kind` and `message`.
    diagnostics_ : Diagnostics
        The indicators.
    target_prior_ : dict
        The class prior of the documents without a label that candidates went by.
    novel_ : array of bool or None
        For each row of X, whether it is set aside as a document of a new class; None without `novelty`.

    Examples
    --------
    >>> import isthmus
    >>> from isthmus.datasets import load_messages
    >>> messages = load_messages()
    >>> photos = messages.groups == messages.groups[0]
    >>> X = isthmus.text.text_vectorizer().fit_transform(messages.texts)
    >>> auto = isthmus.Auto(random_state=0)
    >>> auto = auto.fit(X, messages.labels, sample_domain=messages.groups, target_domain=messages.groups[~photos][0])
    >>> auto.chosen_[-2:]
    ('transductive + DCI', 'LR + LSA')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "target_prior": [StrOptions({"auto", "source", "unknown"}), dict],
        "n_embedding_features": [Interval(Integral, 0, None, closed="left")],
        "max_time": [NOT_NEGATIVE, None],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "novelty": ["boolean"],
    }
    solution_: EnsembleSolution

    def __init__(
        self,
        *,
        target_prior: str | dict[Any, float] = "auto",
        n_embedding_features: int = 0,
        max_time: float | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        novelty: bool = False,
    ) -> None:
        self.target_prior = target_prior
        self.n_embedding_features = n_embedding_features
        self.max_time = max_time
        self.random_state = random_state
        self.warm_start = warm_start
        self.novelty = novelty

    def _workspace(self) -> Workspace:
        if not self.warm_start:
            self.__dict__.pop("_kept", None)
            return Workspace()
        self._kept: Workspace = self.__dict__.get("_kept") or Workspace()
        return self._kept

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: all but what a warm start keeps."""
        return {name: value for name, value in super().__getstate__().items() if name != "_kept"}

    @property
    def learns_from_a_sample(self) -> bool:
        return True

    def solve(self, problem: Problem, workspace: Workspace) -> EnsembleSolution:
        if not 0 <= self.n_embedding_features < problem.n_words:
            raise ValueError(
                f"n_embedding_features is {self.n_embedding_features} and X has {problem.n_words} features: "
                "words must be left of the embeddings."
            )
        problem = replace(problem, n_embeddings=self.n_embedding_features)
        some = sample.sample_for_all(problem) if max(_sizes(problem)) > sample.AT_MOST else problem
        length = some.words_alone.mean_squared_length**0.5
        scale = 1.0 if not length or np.isclose(length, 1, rtol=1e-6) else 1 / length
        at_length = some if scale == 1 else some.scaled(scale)  # the length at which the rules were found
        if self.warm_start:
            at_length = with_known_documents(at_length, workspace)
        run, decision = self._choose(at_length, workspace)
        if decision.warnings:
            emit(decision.warnings)
        novel = _mask(problem.n_rows, decision.novel) if self.novelty else None
        solution = replace(_ensemble(run, decision, problem.n_words), _scale=scale, novel=novel)
        if _sizes(problem) == _sizes(run.problem):
            return solution
        return replace(solution, distributions=like_later_ones(solution, problem))

    def _choose(self, problem: Problem, workspace: Workspace) -> tuple[Run, Decision]:
        """Run, decide and, where target labels are known, check, correct and learn from them."""
        hidden, checked = _without_target_labels(problem)
        seen, known = hidden, checked
        if max(_sizes(hidden)) > sample.AT_MOST:
            seen, looked_at = sample.sample_for_decisions(hidden, checked)
            known = None if checked is None else checked[looked_at]
        clock = Clock(self.max_time)
        if self.warm_start and self.max_time is None and isinstance(self.target_prior, str):
            run = workspace.once(_complete_run, SameProblem(seen), workspace, self.target_prior, self.random_state)
        else:
            run = Run(seen, workspace, self.target_prior, clock, self.random_state)
            run.start()
        decision = decide(run, known, self.novelty, (hidden, checked) if self.novelty else None)
        if known is None:
            return (run, decision) if seen is hidden else self._learned(hidden, run, decision, run.target_prior)
        left = ~known.any(axis=1)
        if (only := class_they_were_chosen_by(run, decision, known)) is not None:
            caution = labels_of_one_class(problem.classes.tolist()[only], int(known.sum()))
            return run, replace(decision, scores=decision.scores[left], warnings=[*decision.warnings, caution])
        claimed = decision.probabilities.max(axis=1)
        # Of those that are left, which are surer where the doubtful ones were asked about.
        usual = decision.estimate.moved_to(decision.estimate.value + float(claimed[left].mean() - claimed.mean()))
        right, claims = decision.check(known)
        estimate = updated(usual, claims, right, problem.n_classes, int(left.sum()), claimed[left])
        said = decision.scores[left].argmax(axis=1)
        prior, decision = corrected(run, decision, known)
        before, decision = replace(decision, scores=decision.scores[left]), with_learner(decision, run, estimate.value)
        if seen is not hidden or clock.has(sum(map(run.expected_seconds, decision.members))):
            # What is known of the target is learned from as well.
            run, decision = self._learned(problem, run, decision, prior, before)
        else:
            decision = before
        if len(decision.scores) == len(said):  # and no sample of others
            estimate = estimate.after_change(float(np.mean(decision.scores.argmax(axis=1) != said)))
        if any(caution.kind == UNRELATED for caution in decision.warnings):
            estimate = replace(estimate, low=0.0)  # these labels are not enough to tell
        return run, replace(decision, estimate=estimate)

    def _learned(
        self, problem: Problem, run: Run, decision: Decision, prior: Any, before: Decision | None = None
    ) -> tuple[Run, Decision]:
        """The same decision, with the members' answers to a problem of more documents or labels.

        Of many documents they learn from a sample, and answer those that stand for all. What was said `before` may be a
        member.
        """
        part = sample.sample_for_learning(problem, run.problem)
        if part is not run.problem:
            asked_for = prior if prior is not run.target_prior else run.asked_for
            # What is made of these labels is of no use to a later refit, which knows others.
            workspace = Workspace() if self.warm_start else run.workspace
            again = Run(part, workspace, asked_for, Clock(None), self.random_state)
            weights = dict(zip(decision.members, decision.weights, strict=True))
            again.repeat(tuple(name for name in weights if name != candidates.BEFORE_LABELS), weights, prior)
            if before is not None and candidates.BEFORE_LABELS in weights:
                again.adopted[candidates.BEFORE_LABELS] = weights[candidates.BEFORE_LABELS]
                again.solutions[candidates.BEFORE_LABELS] = _ensemble(run, before, part.n_words)
                again.answers[candidates.BEFORE_LABELS] = before.probabilities
            run = again
        if not self.warm_start:  # what candidates left for one another is done with, and all documents need the room
            run.workspace.clear()
        answers = run.answers
        if part is not problem:
            asked = sample.sample_for_spreads(problem, part)
            answers = {name: run.answers_to(asked, name) for name in decision.members if name in answers}
        return run, relearned(decision, run, answers)

    @available_if(_has_topics)
    def topics(self, feature_names: Any = None, n_words: int = 10) -> Topics:
        """The topics of TCL, if it is a member; there is no such method if it is not. See `TCL.topics`."""
        solution = cast(TopicSolution, cast(EnsembleSolution, self.solution_.shown).member(candidates.TOPICS))
        words = self._read_feature_names(feature_names)[: self.n_features_in_ - self.n_embedding_features]
        return solution.topics(words, self.classes_, self.domains_, n_words)


def _mask(n_rows: int, rows: Positions | None) -> Mask:
    """True at these rows."""
    found = np.zeros(n_rows, dtype=bool)
    if rows is not None:
        found[rows] = True
    return found


def _sizes(problem: Problem) -> list[int]:
    """How many documents the sources have, and how many the targets."""
    return [sum(len(domain.rows) for domain in problem.domains if domain.is_target == own) for own in (False, True)]


def _ensemble(run: Run, decision: Decision, n_words: int) -> EnsembleSolution:
    """The members' solutions, and all that is known about their answer, of documents at the length of the run's."""
    return EnsembleSolution(
        distributions=decision.probabilities,
        chosen=decision.members,
        estimated_accuracy=decision.estimate,
        warnings=decision.warnings,
        diagnostics=decision.diagnostics,
        target_prior=run.prior_by_class(),
        leaderboard=Leaderboard(decision.rows),
        _members=[_reading(run.solutions[name], run.width_of(name), n_words) for name in decision.members],
        _spreads=decision.spreads,
        _weights=decision.weights,
        _offsets=decision.offsets,
        _sharpness=decision.sharpness,
        _scale=1.0,
    )


def _complete_run(same: SameProblem, workspace: Workspace, prior: str, random_state: Any) -> Run:
    """All candidates' answers."""
    run = Run(same.problem, workspace, prior, Clock(None), random_state)
    run.start()
    return run


def _reading(solution: Solution, width: int, n_features: int) -> Solution:
    """One that takes all features, however few it reads."""
    return solution if width == n_features else FirstColumnsSolution(width, solution)


def _without_target_labels(problem: Problem) -> tuple[Problem, Array | None]:
    """The same problem as if no target label were known, and those labels: one-hot rows over its unlabeled documents.

    Labels of a class that the source lacks stay: without them nobody would know of it. None if there are no others, if
    nothing else is labeled, or if nothing is left to be labeled.
    """
    if not problem.labeled_sources or all(domain.fully_labeled for domain in problem.domains):
        return problem, None
    lacking = np.sum([domain.labels.sum(axis=0) for domain in problem.labeled_sources], axis=0) == 0
    hidden = tuple(_knowing_only(domain, lacking) if domain.is_target else domain for domain in problem.domains)
    checked = np.concatenate([own.labels[~new.labeled] for own, new in zip(problem.domains, hidden, strict=True)])
    if not checked.any():
        return problem, None
    left = problem.known.sum(axis=0) - checked.sum(axis=0)  # documents without a word count, as they do in a fit
    return problem.relabeled(hidden, left / left.sum()), checked


def _knowing_only(domain: Domain, classes: Mask) -> Domain:
    """The same documents with the labels of some classes alone."""
    labels = domain.labels * classes
    return replace(domain, labels=labels, labeled=np.asarray(labels.any(axis=1)))
