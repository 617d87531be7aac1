"""What a random sample measured, before its labels were learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isthmus.core.proportions import Proportion, wilson


@dataclass(frozen=True)
class SampleScore:
    """How right earlier labels were on a random sample."""

    right: int
    n: int
    file: str | None = None
    """That holds the sample, where it is one of several."""

    @property
    def interval(self) -> Proportion:
        return wilson(self.right, self.n)

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        interval = self.interval
        return {"file": self.file, "right": self.right, "documents": self.n, "accuracy": interval.value,
                "low": interval.low, "high": interval.high}  # fmt: skip

    def __str__(self) -> str:
        drawn = f"{self.n:,} {'document' if self.n == 1 else 'documents'} drawn at random"
        where = f" in {self.file}" if self.file else ""
        return f"Of {drawn}{where}, the labels that were suggested before are right in {self.right:,}: {self.interval}."
