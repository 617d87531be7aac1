"""Signs of label shift and of classes that the target lacks."""

from __future__ import annotations

import numpy as np

from isthmus.auto import candidates as names
from isthmus.auto import rules, warnings
from isthmus.auto.diagnostics import Diagnostics
from isthmus.auto.ensemble import combine, spread_of
from isthmus.auto.run import Clock, Run
from isthmus.auto.warnings import Caution
from isthmus.typing import Array


def class_cautions(run: Run, members: tuple[str, ...], diagnostics: Diagnostics) -> list[Caution]:
    """Where classes are topics, candidates that need no prior are a check on those that do."""
    if isinstance(run.target_prior, dict):
        return []
    free = run
    if run.target_prior == "source":
        free = Run(run.problem, run.workspace, "unknown", Clock(None), run.random_state)
        free.unit = run.unit
        if not run.clock.has(free.expected_seconds((names.LONG, names.MIXTURE))):
            return []
        free.start(only=(names.SHORT,))
    gone = _missing_classes(run, free.answers[names.SHORT]) if diagnostics.smallness < rules.MISSING_SMALLNESS else []
    if gone:
        return [warnings.missing(gone)]
    return [warnings.label_shift()] if free is not run and _depends_on_prior(run, free, members) else []


def _depends_on_prior(run: Run, free: Run, members: tuple[str, ...]) -> bool:
    found = np.bincount(free.answers[names.SHORT].argmax(axis=1), minlength=run.problem.n_classes)
    if np.abs(found / found.sum() - run.problem.class_prior).max() < rules.PRIOR_SHIFT:
        return False
    free.start(only=(names.LONG, names.MIXTURE))
    answers = {**free.answers, names.TOPICS: run.answers[names.TOPICS]}
    with_prior, without = (_labels([own[name] for name in members]) for own in (run.answers, answers))
    return float(np.mean(with_prior == without)) < rules.PRIOR_AGREEMENT


def _labels(answers: list[Array]) -> Array:
    return np.asarray(combine(answers, [spread_of(answer) for answer in answers]).argmax(axis=1))


def _missing_classes(run: Run, answer: Array) -> list[object]:
    """Classes that get few documents where no prior holds them up, and these with little confidence."""
    labels, prior = answer.argmax(axis=1), run.problem.class_prior
    own = [answer[labels == number, number] for number in range(run.problem.n_classes)]
    return [
        name
        for name, confidence, share in zip(run.problem.classes.tolist(), own, prior, strict=True)
        if len(confidence) < rules.MISSING_SHARE * share * len(labels)
        and confidence.sum() < rules.MISSING_CONFIDENCE * max(len(confidence), 1)
    ]
