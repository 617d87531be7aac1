"""What the automatic choice goes by: rules whose numbers were fitted, and constants that were chosen.

The fitted numbers stand in `fitted.json`, written by `benchmarks/fit_rules.py`; `fitting` says how they follow from the
rows of `evidence.csv`, one for each draw of a development task (`isthmus.bench.families` says which tasks these are).
Accuracies, which depend on the number of classes, enter as skill: 0 at chance, 1 where all is right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

_FITTED: dict[str, Any] = json.loads((resources.files("isthmus.auto") / "fitted.json").read_text(encoding="utf-8"))


class Indicator(NamedTuple):
    """On a scale on which tasks of topics are at 1 on average, and the others at -1."""

    center: float
    scale: float
    weight: int = 1

    def read(self, value: float) -> float:
        return (value - self.center) / self.scale


LEADS_BACK = 0.97
"""Chosen: labels of the target that tell the source's classes apart so well have come across."""
BY_NEIGHBORS = 0.14
"""Chosen: where neighbors predict the classes, class differences must agree more across the domains before no warning
is given: by this much where they predict all."""


class Unrelated(NamedTuple):
    """How little of what sets the classes apart in the source does so in the target, as a cosine."""

    threshold: float
    """Where neighbors do not tell the classes."""

    def score(self, values: Mapping[str, float]) -> float:
        """Above zero, there is a warning."""
        if values["reverse_auc"] >= LEADS_BACK:
            return -1.0
        return self.threshold + BY_NEIGHBORS * values["neighbor_skill"] - values["class_mean_cosine"]


class Line(NamedTuple):
    """A linear rule for the skill of the source-only classifier."""

    confidence: float
    constant: float

    def skill(self, confidence: float) -> float:
        """The skill to be expected."""
        return self.confidence * confidence + self.constant


class Reach(NamedTuple):
    """How far from the estimate the accuracy may lie, to either side, where there is most room."""

    below: float
    above: float


def _fitted(kind: type[Any], group: str, name: str, **chosen: float) -> Any:
    """A rule from its named numbers in the file; beside them stand others that say how well it fits."""
    found = _FITTED[group][name]
    return kind(**{field: found[field] for field in kind._fields if field in found}, **chosen)


# Topics or something else: the mean of two indicators.
INDICATOR_WEIGHTS = {"normalized_cut": 1, "neighbor_skill": 2}
"""Chosen: neighbors part the two kinds of tasks most clearly, so they count twice."""
TOPIC: dict[str, Indicator] = {
    name: _fitted(Indicator, "topic", name, weight=weight) for name, weight in INDICATOR_WEIGHTS.items()
}
"""Fitted. Classes that are topics part the target's graph of similar documents, and a source document's nearest
neighbors have its label."""

# Unrelated domains.
UNRELATED_FROM = ("reverse_auc", "neighbor_skill", "class_mean_cosine")
"""Chosen: a line through more of the diagnostics is no better on kinds left out."""
FOUND = 0.91
"""Chosen: so many of the unrelated development tasks are warned of."""
UNRELATED: Unrelated = _fitted(Unrelated, "unrelated", "rule")
CERTAIN = 0.18
"""Chosen: no related development task, of any size, comes so far above the threshold. From here on the fallback
answers, the source's classifier alone. Below, there is a warning, but the ensemble answers: where domains are unrelated
any answer is worthless, and where they are not, much would be lost."""

# Accuracy, as skill: how far unlike candidates agree, times powers of two other skills.
REVERSE_POWER = 0.4
"""Chosen in trials, of the skill with which the way leads back: the product needs no fitted number, and on kinds left
out does better than a fitted line."""
NEIGHBOR_POWER = 0.3
"""Chosen in trials, of the skill of neighbors in the source: of classes that are hard to tell, candidates share more of
their mistakes."""
LEAST_NEIGHBOR_SKILL = 0.05
"""No less is taken for it: where neighbors know nothing, others may."""
INTERVAL: Reach = _fitted(Reach, "interval", "ensemble")
"""Fitted: so wide that on each kind of tasks, by the other kinds, nine in ten are held."""
INTERVAL_IF_EVEN: Reach = _fitted(Reach, "interval", "if_even")
"""The same for an estimate as if classes were even."""
INTERVAL_OF_SOURCE_ONLY: Reach = _fitted(Reach, "interval", "source_only")
ESTIMATE_OF_SOURCE_ONLY: Line = _fitted(Line, "estimate", "source_only")
"""Where there was no time for any other candidate."""
FEWEST_DOCUMENTS = 600
"""Chosen with the draws that the estimate was tried on. With fewer, the interval widens with the root of how few."""
LEAST_ROOM = 0.5
"""Chosen: the interval never gets narrower than half of what it is where accuracy is a half."""

# Cautions about classes. Chosen in trials.
SHIFT = 0.17
"""Label shift: so much of the target has another class than at the source's prior."""
OF_ERRORS = 0.5
"""And so much of what is expected to be wrong: mistakes of many kinds look like label shift."""
# A few labeled target documents against the indicators, in nats, and against the warning.
PRIOR_FOR_DIAGNOSTICS = 2.0
"""Chosen: what the indicators are worth against the labels."""
PRIOR_AGAINST_FALLBACK = 3.0
"""Chosen: what it takes beyond the indicators to give transfer up."""
SIGNIFICANCE = 0.05
"""Chosen: how improbable it must be that the answers are right by chance, for the warning to be left out."""


def topic_score(values: Mapping[str, float | None], indicators: Mapping[str, Indicator]) -> float:
    """Whether classes are topics, by the indicators that are known: 1 is usual for topics, -1 for anything else."""
    known = {name: value for name, value in values.items() if value is not None}
    total = sum(indicators[name].weight * indicators[name].read(value) for name, value in known.items())
    return total / max(sum(indicators[name].weight for name in known), 1)
