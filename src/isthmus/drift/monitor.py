"""A batch of documents beside the target that a model was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isthmus.drift.profile import TargetProfile
from isthmus.typing import Array

FALSE_ALARMS = 0.005
"""Share of batches from the same target that raise an alarm: half of one in a hundred, as the target is known by a
sample only, and its tails less well than its mean."""
N_DRAWS = 4_000
MOST_DRAWN = 1_000
"""Documents of a batch that is drawn; larger ones are judged as if they had as many."""
TITLES = {
    "unknown words": "of the words are new",
    "closeness": "of the usual likeness to the target is there",
    "class prior": "of the labels would have to change for the target's shares of classes",
}
LEAST = 20
"""Documents of which one can tell whether they look like the target."""
FALSE_ALARMS_OF_EACH = FALSE_ALARMS / len(TITLES)
"""Divided among the signs."""


@dataclass(frozen=True)
class Sign:
    """One number of a batch, and what it is in batches of the target itself."""

    name: str
    value: float
    usual: float
    """The mean of the target."""
    low: float
    high: float
    """Control limits: beyond these there is an alarm."""

    @property
    def is_alarm(self) -> bool:
        return not self.low <= self.value <= self.high

    def share(self, value: float) -> float:
        """For people: closeness has no scale of its own, and is told as a share of what is usual."""
        return value / self.usual if self.name == "closeness" and self.usual > 0 else value

    def __str__(self) -> str:
        low, high = self.share(self.low), self.share(self.high)
        bound = f"at least {low:.1%}" if self.value < self.low else f"at most {high:.1%}"
        return f"{self.share(self.value):.1%} {TITLES[self.name]} ({self.name}; {bound} as a rule)"


@dataclass(frozen=True)
class DriftReport:
    """Whether a batch looks like the target."""

    n: int
    signs: list[Sign]
    confidence: float
    """The mean probability of the labels: an estimate of today's accuracy, if the documents have not changed."""
    usual_confidence: float
    """That of the target at the fit. It raises no alarm: a batch of the same target may well be less sure than it."""

    @property
    def is_too_small(self) -> bool:
        """Whether so few documents tell nothing."""
        return self.n < LEAST

    @property
    def drifted(self) -> bool:
        return not self.is_too_small and any(sign.is_alarm for sign in self.signs)

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return "too few to tell" if self.is_too_small else "drift" if self.drifted else "as usual"

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "documents": self.n,
            "drifted": self.drifted,
            "too_small": self.is_too_small,
            "confidence": self.confidence,
            "usual_confidence": self.usual_confidence,
            "signs": [
                {
                    "name": one.name,
                    "value": one.value,
                    "usual": one.usual,
                    "low": one.low,
                    "high": one.high if np.isfinite(one.high) else None,
                    "alarm": one.is_alarm,
                }
                for one in self.signs
            ],
        }

    def __str__(self) -> str:
        alarms = [str(sign) for sign in self.signs if sign.is_alarm]
        if self.is_too_small:
            return f"Fewer than {LEAST} documents do not tell whether they look like the target of the fit."
        if not alarms:
            return f"These {self.n:,} documents look like the target that the model was fitted to."
        return (
            f"These {self.n:,} documents do not look like the target that the model was fitted to, and their labels "
            f"may be wrong: {'; '.join(alarms)}. The model itself expects {self.confidence:.0%} of them to be right."
        )


def compare_batch(profile: TargetProfile | None, described: dict[str, Array], random_state: int = 0) -> DriftReport:
    """Compare documents that came later with the target: words, likeness, classes.

    Thresholds come from batches of the same size that are drawn from the target itself, each beside another draw of the
    target, because the profile is a sample as well. A batch of the same target raises an alarm less than
    once in a hundred times, whichever of the signs it is that does.
    """
    if profile is None:
        raise ValueError("profile is None: the model has lost the texts of its fit; make one with profile_target.")
    n = len(described["confidence"])
    if not n:
        raise ValueError("There are no documents to compare.")
    n_classes = int(max(profile.numbers.max(initial=0), described["numbers"].max(initial=0))) + 1
    prior = np.bincount(profile.numbers, minlength=n_classes) / len(profile.numbers)

    def variation(numbers: Any) -> float:
        return float(np.abs(np.bincount(numbers, minlength=n_classes) / len(numbers) - prior).sum() / 2)

    draws = _Draws(len(profile.numbers), min(n, MOST_DRAWN), random_state)
    signs = [
        _sign("unknown words", described["unknown"], profile.unknown, draws, "high"),
        _sign("closeness", described["closeness"], profile.closeness, draws, "low"),
        _varied(variation(described["numbers"]), profile.numbers, prior, draws),
    ]
    return DriftReport(n, signs, float(described["confidence"].mean()), float(profile.confidence.mean()))


def compare_batches(
    profile: TargetProfile | None, described: Sequence[dict[str, Array]], least: int = LEAST, most: int | None = None
) -> DriftReport | None:
    """Compare several batches as one, by its last `most` documents; None where fewer than `least` tell nothing.

    None as well if there is no profile.
    """
    if profile is None or sum(len(one["numbers"]) for one in described) < least:
        return None
    last = slice(None if most is None else -most, None)
    return compare_batch(
        profile, {name: np.concatenate([one[name] for one in described])[last] for name in described[0]}
    )


class _Draws:
    """Batches of the target, beside as many of its documents as the profile has."""

    def __init__(self, n_profile: int, n_batch: int, random_state: int) -> None:
        self._rng, self._n_profile, self._n_batch = np.random.default_rng(random_state), n_profile, n_batch

    def means(self, values: Array, extreme: float) -> Array:
        """Of batches, moved by how far the profile's own mean may be off.

        A sample may lack what is rare: it scatters as though it had one such document more.
        """
        batches = values[self._rng.integers(0, len(values), (N_DRAWS, self._n_batch))].mean(axis=1)
        error = np.append(values, extreme).std() / np.sqrt(self._n_profile)
        return np.asarray(batches + self._rng.normal(0, error, N_DRAWS))

    def variations(self, numbers: Any, prior: Array) -> Array:
        """Of class shares in batches from the prior, which is as uncertain as its sample is small."""
        priors = self._rng.dirichlet(np.bincount(numbers, minlength=len(prior)) + 0.5, N_DRAWS)
        batches = self._rng.multinomial(self._n_batch, priors) / self._n_batch
        return np.asarray(np.abs(batches - prior).sum(axis=1) / 2)


def _sign(name: str, found: Array, usual: Array, draws: _Draws, side: Literal["low", "high"]) -> Sign:
    """An alarm where the mean is higher, or lower, than nearly all means of the target's own batches."""
    means = draws.means(usual, 1.0 if side == "high" else 0.0)
    low = float(np.quantile(means, FALSE_ALARMS_OF_EACH)) if side == "low" else 0.0
    high = float(np.quantile(means, 1 - FALSE_ALARMS_OF_EACH)) if side == "high" else float("inf")
    return Sign(name, float(found.mean()), float(usual.mean()), low, high)


def _varied(value: float, numbers: Any, prior: Array, draws: _Draws) -> Sign:
    variations = draws.variations(numbers, prior)
    high = float(np.quantile(variations, 1 - FALSE_ALARMS_OF_EACH))
    return Sign("class prior", value, float(variations.mean()), 0.0, high)
