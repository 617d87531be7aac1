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


class Unrelated(NamedTuple):
    """A linear rule for how unrelated domains look: 1 is usual for unrelated tasks, -1 for related ones."""

    class_mean_cosine: float
    """Weight of how alike the differences between classes are in source and target."""
    source_agreement: float
    """Weight of how far a method that learns from pseudo-labels stays with the source's classifier."""
    constant: float
    threshold: float

    def score(self, class_mean_cosine: float, source_agreement: float) -> float:
        """Above zero, there is a warning."""
        score = self.class_mean_cosine * class_mean_cosine + self.source_agreement * source_agreement
        return score + self.constant - self.threshold


class Line(NamedTuple):
    """A linear rule for the skill, and its standard error where there is most room for one."""

    confidence: float
    constant: float
    error: float
    confidence_of_few: float = 0.0
    """Added to the weight of confidence, in so far as documents are few; that of underconfidence counts only so far."""
    underconfidence_of_few: float = 0.0
    class_mean_cosine: float = 0.0

    def skill(self, confidence: float, class_mean_cosine: float, underconfidence: float, smallness: float) -> float:
        """The skill to be expected."""
        skill = (self.confidence + smallness * self.confidence_of_few) * confidence + self.constant
        skill += smallness * self.underconfidence_of_few * underconfidence
        return skill + self.class_mean_cosine * class_mean_cosine


def _fitted(kind: type[Any], group: str, name: str, **chosen: float) -> Any:
    """A rule from its named numbers in the file; beside them stand others that say how well it fits."""
    found = _FITTED[group][name]
    return kind(**{field: found[field] for field in kind._fields if field in found}, **chosen)


# Topics or something else: the mean of three indicators.
INDICATOR_WEIGHTS = {"normalized_cut": 1, "neighbor_skill": 2, "self_training_stability": 1}
"""Chosen: neighbors part the two kinds of tasks most clearly, so they count twice."""
TOPIC: dict[str, Indicator] = {
    name: _fitted(Indicator, "topic", name, weight=weight) for name, weight in INDICATOR_WEIGHTS.items()
}
"""Fitted. Classes that are topics part the target's graph of similar documents; a source document's nearest neighbors
have its label; and a long self-training agrees with a short one."""

# Unrelated domains.
UNRELATED_THRESHOLD = 0.1
"""Chosen: a little above the middle, for a warning where all is well is soon not heeded."""
UNRELATED_THRESHOLD_AT_UNKNOWN_PRIOR = 0.2
"""Chosen likewise, and higher, since the two kinds of tasks lie closer together there."""
UNRELATED: Unrelated = _fitted(Unrelated, "unrelated", "source", threshold=UNRELATED_THRESHOLD)
UNRELATED_AT_UNKNOWN_PRIOR: Unrelated = _fitted(
    Unrelated, "unrelated", "unknown", threshold=UNRELATED_THRESHOLD_AT_UNKNOWN_PRIOR
)
CERTAIN = 0.95
"""Chosen: no related development task, of any size, comes so far above the threshold. From here on the fallback
answers, the source's classifier alone. Below, there is a warning, but the ensemble answers: where domains are unrelated
any answer is worthless, and where they are not, much would be lost."""

# Label shift: how much the answers with and without the source's prior must differ. Chosen in trials.
PRIOR_AGREEMENT = 0.75
PRIOR_SHIFT = 0.2

# A missing class, by self-training that assumes no prior. Chosen in trials.
MISSING_SHARE = 0.5
"""It gets less than this part of its share of the source,"""
MISSING_CONFIDENCE = 0.72
"""with less confidence than this on average."""
MISSING_SMALLNESS = 0.1
"""With few documents, self-training without a prior often gives them all one class: nothing is said."""

# Accuracy, as skill, from the mean confidence of three candidates, the cosine of the classes' means and, in so far
# as documents are few, how much oftener a classifier is right in the source than it says.
ESTIMATE: Line = _fitted(Line, "estimate", "source")
ESTIMATE_AT_UNKNOWN_PRIOR: Line = _fitted(Line, "estimate", "unknown")
"""Of other candidates: the confidence of those that learn from pseudo-labels says little where no prior holds them."""
ESTIMATE_OF_SOURCE_ONLY: Line = _fitted(Line, "estimate", "source_only")
"""Where there was no time for any other candidate."""
USUAL_UNDERCONFIDENCE: float = _FITTED["usual"]["underconfidence"]
"""Fitted: where the source is too small to measure it."""
USUAL_CLASS_MEAN_COSINE: float = _FITTED["usual"]["class_mean_cosine"]
"""Fitted: where the target is too small to measure it."""
MOST_UNDERCONFIDENCE: float = _FITTED["usual"]["most_underconfidence"]
"""Fitted: more was never seen; it comes from classifiers that know nothing."""
FEW_DOCUMENTS = 1000
"""Chosen. Of all domains together: so many are half way between few and many."""
FEWEST_DOCUMENTS = 600
"""Chosen with the draws that the estimate was fitted to. With fewer, the interval widens with the root of how few."""
LEAST_ROOM = 0.5
"""Chosen: the interval never gets narrower than half of what it is where accuracy is a half."""

# A few labelled target documents against the indicators, in nats, and against the warning.
PRIOR_FOR_DIAGNOSTICS = 2.0
"""Chosen: what the indicators are worth,"""
PRIOR_AGAINST_FALLBACK = 3.0
"""and what it takes beyond them to give transfer up."""
SIGNIFICANCE = 0.05
"""Chosen: how improbable it must be that the answers are right by chance, for the warning to be left out."""


def smallness(n_documents: float) -> float:
    """Near one for few documents, zero for very many. Fewer than were ever tried are no smaller than these."""
    return 1 / (1 + (max(n_documents, FEWEST_DOCUMENTS) / FEW_DOCUMENTS) ** 2)


def topic_score(values: Mapping[str, float | None], indicators: Mapping[str, Indicator]) -> float:
    """Whether classes are topics, by the indicators that are known: 1 is usual for topics, -1 for anything else."""
    known = {name: value for name, value in values.items() if value is not None}
    total = sum(indicators[name].weight * indicators[name].read(value) for name, value in known.items())
    return total / max(sum(indicators[name].weight for name in known), 1)
