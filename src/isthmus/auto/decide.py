"""From candidates' answers to an ensemble, an estimate and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr
from scipy.stats import binom

from isthmus.auto import candidates, rules, warnings
from isthmus.auto.class_sets import missing_classes, novel_documents
from isthmus.auto.diagnostics import Diagnostics, diagnose
from isthmus.auto.estimate import Estimate, estimate_accuracy, is_label_shift, says_little, sharpness_for, tempered
from isthmus.auto.label_shift import HANDFUL
from isthmus.auto.run import NO_TIME, Run
from isthmus.auto.warnings import Caution
from isthmus.core.problem import Problem
from isthmus.typing import Array, Mask, Positions

FALLBACK, TOPICS, OTHER = "source only", "topics", "other"
"""Ensembles."""


@dataclass(frozen=True, eq=False)
class Decision:
    """The chosen ensemble, and what is known about its answer."""

    members: tuple[str, ...]
    scores: Array
    """Combined log-odds of the unlabeled documents."""
    spreads: list[float]
    weights: list[float]
    """Of the members."""
    offsets: list[float]
    """In the scores, of each class."""
    diagnostics: Diagnostics
    estimate: Estimate
    warnings: list[Caution]
    rows: list[dict[str, Any]]
    """Of the leaderboard."""
    novel: Positions | None = None
    """Rows of X with documents of a new class, if there is one."""

    @property
    def sharpness(self) -> float:
        """Which brings the mean confidence to the estimated accuracy: calibration in the large."""
        return sharpness_for(self.scores, self.estimate.value)

    @property
    def probabilities(self) -> Array:
        return tempered(self.scores, self.sharpness)

    def check(self, labels: Array) -> tuple[Mask, Array]:
        """Of the documents whose label is known after all: which are right, and the probabilities they were given."""
        known = labels.any(axis=1)
        given = self.probabilities[known]
        return given.argmax(axis=1) == labels[known].argmax(axis=1), given.max(axis=1)


def decide(
    run: Run, checked: Array | None, novelty: bool = False, whole: tuple[Problem, Array | None] | None = None
) -> Decision:
    """The ensemble for topics, the other one, or the fallback. `checked` are labels that are known after all.

    With `novelty`, documents of a new class are set aside, and the estimate is that of the others. Where the run has
    seen a sample, `whole` has the problem and the known labels that it stands for; to tell of a class, it is enough.
    """
    if not run.n_unlabeled:
        return _decision(run, (candidates.SOURCE_ONLY,), Diagnostics(), Estimate(1.0, 1.0, 1.0), [])
    diagnostics = run.workspace.once(diagnose, run)
    estimate = estimate_accuracy(diagnostics, run.problem.n_classes)
    if len(run.problem.labeled[1]) < HANDFUL:  # whatever candidates agree on, hardly anybody has taught it
        estimate = Estimate(estimate.value, 0.0, 1.0)
    is_handful = run.n_unlabeled < HANDFUL and checked is None and not isinstance(run.asked_for, dict)
    kind, reason = (FALLBACK, "of a handful of documents") if is_handful else _kind(run, diagnostics, checked, estimate)
    run.workspace.once(run.complete, () if kind == FALLBACK else run.members(kind == TOPICS))
    members = _ensembles(run)[kind]
    found: list[Caution] = []
    if diagnostics.unrelated_score > 0 and (checked is None or not _beats_chance(run, members, checked)):
        certain = diagnostics.unrelated_score > rules.CERTAIN
        found.append(warnings.unrelated(certain, 0 if checked is None else int(checked.sum())))
        members, reason = ((candidates.SOURCE_ONLY,), "the domains look unrelated") if certain else (members, reason)
        estimate = _doubted(estimate, certain, run.problem.n_classes)
    elif (
        kind == FALLBACK and not is_handful and len(set(_ensembles(run).values())) > 1
    ):  # which known labels alone can bring about
        found.append(warnings.harm())
    novel = None
    if not found:  # a worse message says it all
        gone = _missing(run, checked)
        novel = _new_class(run, whole or (run.problem, checked)) if run.problem.n_classes - len(gone) > 2 else None
        if novel is not None:
            share = len(novel.rows) / novel.among
            found.append(warnings.new_class(len(novel.rows), share, novelty))
            estimate = estimate if novelty else estimate.doubting(share)
        found += _class_cautions(run, diagnostics, estimate, gone, 0 if checked is None else int(checked.sum()))
    if dropped := [name for name, reason in run.skipped.items() if reason == NO_TIME]:
        found.append(warnings.out_of_time(dropped))
    return replace(_decision(run, members, diagnostics, estimate, found, reason), novel=novel and novel.rows)


def relearned(decision: Decision, run: Run, answers: Mapping[str, Array]) -> Decision:
    """The same decision with other answers of its members, from another run. The others' agreement stays as it was.

    A member that could not answer there is none any more.
    """
    members = tuple(name for name in decision.members if name in answers)
    scores, spreads = run.average(members, answers)
    offsets = run.offsets(scores)
    scores = scores + offsets
    rows = []
    for row in decision.rows:
        name = row["name"]
        if name in members:
            row = {**row, **_answered(run, name, answers[name], scores)}
        elif name in decision.members:
            row = {**row, "why": run.skipped[name]}
        rows.append(row)
    weights = run.member_weights(members)
    return replace(
        decision, members=members, scores=scores, spreads=spreads, weights=weights, offsets=offsets, rows=rows
    )


def _decision(
    run: Run,
    members: tuple[str, ...],
    diagnostics: Diagnostics,
    estimate: Estimate,
    found: list[Caution],
    reason: str = "",
) -> Decision:
    scores, spreads = run.average(members)
    offsets = run.offsets(scores)
    rows = _rows(run, members, scores + offsets, reason)
    weights = run.member_weights(members)
    return Decision(members, scores + offsets, spreads, weights, offsets, diagnostics, estimate, found, rows)


def _ensembles(run: Run, answers: Mapping[str, Array] | None = None) -> dict[str, tuple[str, ...]]:
    """Of the candidates that answered, at first or in the end; the fallback where no member did."""
    answers = run.answers if answers is None else answers
    wanted = {TOPICS: run.members(True), OTHER: run.members(False), FALLBACK: (candidates.SOURCE_ONLY,)}
    present = {kind: tuple(name for name in members if name in answers) for kind, members in wanted.items()}
    return {kind: members or (candidates.SOURCE_ONLY,) for kind, members in present.items()}


def _kind(run: Run, diagnostics: Diagnostics, checked: Array | None, estimate: Estimate) -> tuple[str, str]:
    """Which ensemble, and why: by the indicators; with known labels, also by how probable each finds them.

    Labels of some classes only would speak for whoever overrates these.
    """
    looks = "like topics" if diagnostics.topic_score > 0 else "unlike topics"
    reason = f"classes look {looks} ({diagnostics.topic_score:+.1f})"
    if run.is_same_domain:
        reason = f"nothing seems to have shifted (AUC {run.domain_auc:.2f})"
    log_odds = {
        TOPICS: rules.PRIOR_FOR_DIAGNOSTICS * (diagnostics.topic_score > 0),
        OTHER: rules.PRIOR_FOR_DIAGNOSTICS * (diagnostics.topic_score <= 0),
        FALLBACK: rules.PRIOR_FOR_DIAGNOSTICS - rules.PRIOR_AGAINST_FALLBACK,
    }
    if checked is not None and checked.any(axis=0).all():
        indicated, known = max(log_odds, key=log_odds.__getitem__), checked.any(axis=1)
        for kind, members in _ensembles(run, run.at_first).items():  # a warm start's run has gone on since
            scores = run.average(members, run.at_first)[0]
            probabilities = tempered(scores, sharpness_for(scores, estimate.value))[known]
            log_odds[kind] += _surprise(probabilities, checked[known])
        if max(log_odds, key=log_odds.__getitem__) != indicated:
            reason += ", but the known labels overrule it"
    return max(log_odds, key=log_odds.__getitem__), reason


class NewClass(NamedTuple):
    """Documents of the target that look like a class which the source lacks."""

    rows: Positions
    """In X."""
    among: int
    """How many there were to be told from: those whose label is not known."""


def _new_class(run: Run, whole: tuple[Problem, Array | None]) -> NewClass | None:
    labels, (problem, checked) = run.consensus.argmax(axis=1), whole
    answers = run.at_first[candidates.SOURCE_ONLY]
    novel = novel_documents(run.problem, run.looked_at, answers, labels, problem.words_alone.unlabeled)
    if novel is None:
        return None
    if checked is not None and 0.5 ** int(np.sum(novel & checked.any(axis=1))) < rules.SIGNIFICANCE:
        return None  # all of these have a label of the source's: by chance, if half of them were of a new class
    rows = np.concatenate([domain.rows[~domain.labeled] for domain in problem.domains])
    asked = problem.of_target if checked is None else problem.of_target & ~checked.any(axis=1)
    return NewClass(rows[novel & asked], int(asked.sum())) if np.any(novel & asked) else None


def _surprise(probabilities: Array, labels: Array) -> float:
    """Log-likelihood of labels, less what these very documents let expect.

    Suggested documents are those that an ensemble doubts, which alone must not speak against it.
    """
    return float(np.log(np.maximum((probabilities * labels).sum(axis=1), 1e-3)).sum() + entr(probabilities).sum())


def _missing(run: Run, checked: Array | None) -> list[object]:
    """Classes that the target does not seem to have. Who gives a prior knows, and so does who gives a label of one."""
    if isinstance(run.asked_for, dict) or run.problem.n_classes < 3:
        return []
    seen = set() if checked is None else set(run.problem.classes[checked.any(axis=0)].tolist())
    return [
        name for name in missing_classes(run.problem, run.looked_at, run.at_first, run.reverse_auc) if name not in seen
    ]


def _class_cautions(
    run: Run, diagnostics: Diagnostics, estimate: Estimate, gone: list[object], n_known: int
) -> list[Caution]:
    """Label shift, classes that are gone from the target, and labels that say no more than the largest class.

    Known labels settle the prior.
    """
    classes, prior = run.problem.classes.tolist(), run.prior
    found = []
    if gone:
        found.append(warnings.missing(gone))
    elif (
        n_known < HANDFUL
        and run.prior_was_found
        and is_label_shift(run.prior_shift, estimate.value, run.n_unlabeled, len(classes))
    ):
        here, there = (dict(zip(classes, own.tolist(), strict=True)) for own in (prior, run.source_prior))
        found.append(warnings.label_shift(here, there, run.n_unlabeled, n_known))
    if run.n_unlabeled >= HANDFUL and n_known < HANDFUL and says_little(diagnostics, len(classes), float(prior.max())):
        found.append(warnings.majority(classes[int(prior.argmax())], float(prior.max())))
    return found


def _beats_chance(run: Run, members: tuple[str, ...], checked: Array) -> bool:
    """Whether an ensemble is right too often about the labels that are known to be guessing.

    Guessing at its own prior would be right as often once in twenty times.
    """
    known, given = checked.any(axis=1), np.eye(checked.shape[1])[run.average(members)[0].argmax(axis=1)]
    by_chance = given.mean(axis=0) @ checked[known].mean(axis=0)
    return bool(binom.sf((given * checked).sum() - 1, known.sum(), by_chance) < rules.SIGNIFICANCE)


def _doubted(estimate: Estimate, certain: bool, n_classes: int) -> Estimate:
    """Where the domains look unrelated: what it looks like, or half way to guessing, or anything less."""
    value = (estimate.value + 1 / n_classes) / 2 if certain else estimate.value
    return Estimate(value, 0.0, estimate.high)


def _rows(run: Run, members: tuple[str, ...], scores: Array, reason: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            **_answered(run, name, run.answers.get(name), scores),
            "why": run.skipped.get(name) or _why(run, name, members, reason),
        }
        for name in run.candidates
        if name in run.answers or name not in (candidates.LEARNER, candidates.BEFORE_LABELS)
    ]


def _answered(run: Run, name: str, answer: Array | None, scores: Array) -> dict[str, Any]:
    """What a candidate took, how sure it is, and how often it says what is said in the end."""
    found: dict[str, Any] = {"seconds": run.seconds.get(name), "confidence": None, "agreement": None}
    if answer is not None and len(answer):
        found["confidence"] = float(answer.max(axis=1).mean())
        found["agreement"] = float(np.mean(answer.argmax(axis=1) == scores.argmax(axis=1)))
    return found


def _why(run: Run, name: str, members: tuple[str, ...], reason: str) -> str:
    if name in run.weights and run.evidence:
        counts = f"the evidence gives it {run.weights[name]:.0%}"
        return f"member: {counts}" if name in members else f"no member: {counts}"
    if name in members:
        return f"member: {reason}" if run.candidates[name].on_demand else "member"
    if name in candidates.CAUTIOUS:
        return "not needed: the hypotheses agree on the prior"
    if run.candidates[name].on_demand:
        might_be_chosen = run.is_same_domain or name in (*run.members(True), *run.members(False))
        return f"not needed: {reason}" if might_be_chosen else "not needed at this target prior"
    return "for comparison" if name == candidates.SOURCE_ONLY else f"no member: {reason}" if reason else "no member"
