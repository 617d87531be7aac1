"""An ensemble is a solution made of solutions: the weighted mean of its members' log-odds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.preprocessing import normalize

from isthmus.auto.averaging import combine
from isthmus.auto.diagnostics import Diagnostics
from isthmus.auto.estimate import Estimate, tempered
from isthmus.auto.leaderboard import Leaderboard
from isthmus.auto.warnings import Caution
from isthmus.core.solution import Solution, TransductiveSolution
from isthmus.typing import Array, Matrix


@dataclass(frozen=True, eq=False)
class FirstColumnsSolution(Solution):
    """A solution that reads the leftmost features alone.

    Those are words, where embeddings stand to the right of them, or words of the fit, where others came later: then
    rows get unit length again, as they had there.
    """

    n_features_in_: int
    inner: Solution
    unit_length: bool = False

    @property
    def shown(self) -> Solution:
        return self.inner.shown

    def assign(self, X: Matrix, domain: int | None) -> Array:
        first = X[:, : self.n_features_in_]
        return self.inner.assign(normalize(first) if self.unit_length else first, domain)


@dataclass(frozen=True, eq=False)
class EnsembleSolution(TransductiveSolution):
    """Several members' solutions, and all that is known about their answer."""

    chosen: tuple[str, ...]
    estimated_accuracy: Estimate
    warnings: list[Caution]
    diagnostics: Diagnostics
    target_prior: dict[object, float] | None
    leaderboard: Leaderboard
    _members: list[Solution]
    _spreads: list[float]
    _sharpness: float
    _scale: float
    """Of the documents: members know them at a mean squared length of one."""
    _weights: list[float] = field(default_factory=list)
    """Of the members; empty where all count alike."""
    _offsets: list[float] = field(default_factory=list)
    """Of the classes; empty for none."""
    novel: Any = None
    """Which rows of X look like a class that the source lacks; None if nobody asked for it."""

    def assign(self, X: Matrix, domain: int | None) -> Array:
        X = X if self._scale == 1 else X * X.dtype.type(self._scale)
        answers = [member.assign(X, domain) for member in self._members]
        scores = combine(answers, self._spreads, self._weights or [1.0] * len(answers))
        scores = scores + self._offsets if self._offsets else scores
        return tempered(scores, self._sharpness)

    def member(self, name: str) -> Solution:
        """One of the chosen candidates' solutions, by itself."""
        return self._members[self.chosen.index(name)].shown
