"""What `isthmus fit` says at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from rich.table import Table

from isthmus._result import Result
from isthmus.auto import Caution, Estimate
from isthmus.cli.bad_rows import BadRows
from isthmus.cli.console import complain, n_documents, output, print_json
from isthmus.cli.gathering import Files, Gathered
from isthmus.cli.predict import DOUBTFUL
from isthmus.evaluation import SampleScore
from isthmus.exceptions import DataError
from isthmus.inspection.tables import plain_table
from isthmus.quality import Finding
from isthmus.text import reading_of


@dataclass(frozen=True)
class ReadFiles:
    """What a fit was given, what was found in it, and what was left out."""

    files: Files
    findings: list[Finding]
    bad: BadRows
    skipped: Path | None
    """Where the rows that were left out are written."""
    measured: SampleScore | None = None
    """What labels that people gave tell of the labels before."""


@dataclass(frozen=True)
class Labels:
    """The labels that the target's documents have got."""

    counts: dict[str, int]
    """The most frequent first."""
    mean_confidence: float
    doubtful: int

    @classmethod
    def of(cls, result: Result) -> Labels:
        """Those of a result that has them."""
        confidence = result.probabilities.max(axis=1)
        counts = dict(Counter(result.labels.tolist()).most_common())
        return cls(counts, float(confidence.mean()), int((confidence < DOUBTFUL).sum()))


@dataclass(frozen=True)
class Summary:
    """All that a fit found out, for people and for scripts."""

    read: ReadFiles
    result: Result
    labeled: Labels | None
    """None, where workers label documents and nobody asked them to."""
    used_target_labels: bool
    outputs: dict[str, Path]
    seconds: float
    settings: dict[str, Any] = field(default_factory=dict)
    """Parameters of the method that were given by name."""

    @property
    def sources(self) -> list[Gathered]:
        return self.read.files.sources

    @property
    def target(self) -> Gathered:
        return self.read.files.target

    def show(self, as_json: bool) -> None:
        """On standard output; warnings on standard error, where they are seen whatever becomes of the summary."""
        for caution in self._warnings():
            complain(f"Warning: {caution.message}", "bold red")
        try:
            if as_json:
                print_json(self.as_dict())
            else:
                self._print()
        except BrokenPipeError:  # nobody wants to read it
            raise
        except OSError as error:
            raise DataError(f"The summary cannot be printed: {error.strerror or error}. {self.written}") from error

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        right, scored = self._score()
        labeled = self.labeled
        return {
            "sources": [{**source.describe(), "labels": source.counts} for source in self.sources],
            "target": {
                **self.target.describe(),
                "labels": labeled and labeled.counts,
                "known_labels": self.target.n_known,
                "known_labels_used": self.used_target_labels,
            },
            "reading": reading_of(self.result.vectorizer),
            "findings": [finding.as_dict() for finding in self.read.findings],
            "measured_before": None if self.read.measured is None else self.read.measured.as_dict(),
            "skipped": {
                "rows": self.read.bad.as_dicts(),
                "file": None if self.read.skipped is None else str(self.read.skipped),
            },
            "method": type(self.result.estimator).__name__,
            "settings": {name: str(value) if value == inf else value for name, value in self.settings.items()},
            "classes": self.result.classes.tolist(),
            "mean_confidence": labeled and round(labeled.mean_confidence, 4),
            "doubtful": labeled and labeled.doubtful,
            "estimated_accuracy": asdict(estimate) if (estimate := self._estimate()) else None,
            "warnings": [asdict(caution) for caution in self._warnings()],
            "chosen": list(getattr(self.result.estimator, "chosen_", ())) or None,
            "truth": {"column": column, "documents": scored, "accuracy": right / scored if scored else None}
            if (column := self.target.columns.truth) is not None
            else None,
            "written": {option.lstrip("-"): str(path) for option, path in self.outputs.items()},
            "seconds": round(self.seconds, 3),
        }

    def _print(self) -> None:
        console = output()

        def say(sentence: str, style: str = "") -> None:
            console.print(sentence, style=style, markup=False, soft_wrap=True)

        for file in (*self.sources, self.target):
            say(str(file))
        if reading := reading_of(self.result.vectorizer):
            say(f"Texts are read as {reading}.")
        if known := self.target.n_known:
            used = (
                "learned from" if self.used_target_labels else "not learned from; --use-target-labels learns from them"
            )
            have, are = ("has", "it is") if known == 1 else ("have", "these are")
            say(f"{n_documents(known)} of the target {have} a label: {are} {used}.")
        if self.read.measured is not None:
            say(str(self.read.measured))
        name = type(self.result.estimator).__name__
        if chosen := getattr(self.result.estimator, "chosen_", ()):
            name += f" ({'; '.join(chosen)})"
        if self.labeled is None:
            say(f"Learned by {name}; --predictions names a folder for labels, which workers write.")
        else:
            console.print()
            console.print(self._table(self.labeled.counts))
            console.print()
            n, doubtful = sum(self.labeled.counts.values()), self.labeled.doubtful
            look = f"; {doubtful:,} of {n:,} are below {DOUBTFUL}: look at these first." if doubtful else "."
            look = f"; all are below {DOUBTFUL}." if doubtful == n else look
            say(f"{name} gives its labels a probability of {self.labeled.mean_confidence:.2f} on average{look}")
        if (estimate := self._estimate()) is not None:
            say(f"Estimated accuracy in the target: {estimate}.", "bold")
        right, scored = self._score()
        column = self.target.columns.truth
        if scored:
            say(f"Right by column {column!r}: {right / scored:.1%} of {n_documents(scored)}.", "bold")
        elif column is not None:
            say(f"Nothing to score: every document with an entry in column {column!r} was learned from.")
        if self.outputs:
            say(self.written)

    @property
    def written(self) -> str:
        """Which files there are now."""
        return f"Wrote {', '.join(map(str, self.outputs.values())) or 'no file'}."

    def _table(self, predicted: dict[str, int]) -> Table:
        counts = [*(source.counts for source in self.sources), predicted]
        rows = [[str(label), *(f"{own.get(label, 0):,}" for own in counts)] for label in self.result.classes.tolist()]
        titles = ["label", *(source.path for source in self.sources), f"{self.target.path}, as labeled here"]
        return plain_table(titles, rows, right=titles[1:])

    def _estimate(self) -> Estimate | None:
        return getattr(self.result.estimator, "estimated_accuracy_", None)

    def _warnings(self) -> list[Caution]:
        return list(getattr(self.result.estimator, "warnings_", ()))

    def _score(self) -> tuple[int, int]:
        """Right and scored documents. One whose label was learned from proves nothing."""
        if self.target.columns.truth is None:
            return 0, 0
        given = self.target.labels if self.used_target_labels else [None] * len(self.target.truth)
        pairs = [
            (found, true)
            for found, true, known in zip(self.result.labels.tolist(), self.target.truth, given, strict=True)
            if true is not None and known is None
        ]
        return sum(found == true for found, true in pairs), len(pairs)
