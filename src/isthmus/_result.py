"""What a transfer returns: labels of the target, and how to label more documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.auto.update import update_estimator
from isthmus.core.estimator import TransferClassifier
from isthmus.core.labels import read_column, read_texts, spelled_like
from isthmus.drift import TargetProfile, profile_update
from isthmus.inspection.tables import data_frame
from isthmus.inspection.topics import Topics
from isthmus.text import as_rows, grown_vectorizer, named_features
from isthmus.typing import Array, Mask, Matrix


@dataclass(frozen=True, eq=False)
class Result:
    """Predictions for the target domain, and how to label more documents."""

    labels: np.ndarray[Any, Any]
    """A label for each target text."""
    probabilities: Array
    """One row per target text, one column per class."""
    classes: np.ndarray[Any, Any]
    estimator: TransferClassifier
    vectorizer: Any
    # What the report shows. Labels and predictions need none of it, so that it can be left out of a file.
    source_texts: Sequence[str] = field(default=(), repr=False)
    source_labels: Sequence[Any] = field(default=(), repr=False)
    target_texts: Sequence[str] = field(default=(), repr=False)
    target_labels: Sequence[Any] = field(default=(), repr=False)
    """Those that were given, and None for all others; empty if none was."""
    X: Matrix | None = field(default=None, repr=False)
    """The rows that the vectorizer made of the source's texts and, below them, of the target's."""
    profile: TargetProfile | None = field(default=None, repr=False)
    """What the target looked like, to tell later whether what arrives still does (`isthmus.drift`)."""
    n_texts: int = field(default=0, repr=False)
    """Target texts learned from so far, where `labels` has not all of them: after an update, or a fit in blocks that
    left its own out of the file."""

    learned: Array | None = field(default=None, repr=False)
    """Digests of all texts whose labels were learned from so far: these measure nothing any more. None for none."""

    def has_learned(self, texts: Iterable[str]) -> Mask:
        """Which of these texts had a label that was learned from, in the fit or in an update."""
        found = digests_of(texts)
        return np.zeros(len(found), dtype=bool) if self.learned is None else np.isin(found, self.learned)

    @property
    def given(self) -> Mask:
        """Which target texts had a label that was learned from: it says nothing about the others."""
        return np.array([label is not None for label in self.target_labels] or [False] * len(self.labels), dtype=bool)

    @property
    def novel(self) -> Mask | None:
        """Which target texts are set aside as a class that the source lacks; None but for `Auto(novelty=True)`."""
        found = getattr(self.estimator, "novel_", None)
        return None if found is None else found[len(found) - len(self.labels) :]

    def predict(self, texts: Iterable[str]) -> np.ndarray[Any, Any]:
        """Labels of target texts that came later."""
        return self.estimator.predict(self.transform(texts))

    def predict_proba(self, texts: Iterable[str]) -> Array:
        """Class probabilities of target texts that came later."""
        return self.estimator.predict_proba(self.transform(texts))

    def transform(self, texts: Iterable[str]) -> Matrix:
        """Rows of target texts that came later, as the vectorizer makes them: what the estimator labels."""
        return as_rows(self.vectorizer.transform(read_texts(texts, "texts")))

    def update(self, texts: Iterable[str], labels: Iterable[Any] | None = None) -> Result:
        """Incremental learning: a result that has learned from target texts that came later, and labels them.

        The texts of the fit are not needed, and the cost grows with what arrived. `labels` has one for each text, and
        None where nobody knows. Words that were not known are learned; of 200 texts or more, drift is told by these
        from then on.
        """
        found = read_texts(texts, "texts")
        known = [None] * len(found) if labels is None else read_column(labels, "labels", "labels")
        if len(known) != len(found):
            raise ValueError(f"labels has {len(known)} entries and texts {len(found)}: give None for unknown ones.")
        known = spelled_like(known, self.classes.tolist())
        if strange := set(known) - {None, *self.classes.tolist()}:
            raise ValueError(f"labels holds {strange.pop()!r}, which the model does not know: fit it with that class.")
        n_before = self.n_texts or len(self.labels)
        vectorizer = grown_vectorizer(self.vectorizer, found, n_before)
        X = as_rows(vectorizer.transform(found))
        estimator = update_estimator(self.estimator, X, known)
        probabilities = estimator.predict_proba(X)
        given = np.array([label is not None for label in known])
        probabilities[given] = [self.classes == label for label in known if label is not None] or probabilities[given]
        profile = profile_update(self, estimator, vectorizer, found, X)
        learned = digests_of_known(found, known)
        learned = learned if self.learned is None else np.union1d(self.learned, learned)
        own = {"labels": self.classes[probabilities.argmax(axis=1)], "probabilities": probabilities, "X": X}
        words = {"estimator": estimator, "vectorizer": vectorizer, "target_texts": found, "target_labels": known}
        n_texts = n_before + len(found)
        return Result(classes=self.classes, profile=profile, n_texts=n_texts, learned=learned, **own, **words)

    def topics(self, n_words: int = 10) -> Topics:
        """The words that carried the labels across, for methods that have topics."""
        if not hasattr(self.estimator, "topics"):
            raise TypeError(f"{type(self.estimator).__name__} has no topics here; TCL and NMTF have.")
        return self.estimator.topics(named_features(self.vectorizer), n_words)

    def report(
        self,
        path: str | Path,
        *,
        ids: Any = None,
        truth: Any = None,
        names: tuple[str, str] | None = None,
        force: bool = False,
    ) -> Path:
        """Write one HTML page about this result, which needs neither network nor server, and return its path.

        Parameters
        ----------
        path
            The file to write.
        ids : sequence, one entry per target text, optional
            How the page calls the documents. By default it numbers them from one.
        truth : sequence, one entry per target text, optional
            True labels, for accuracy, confusion and ROC, and for nothing else; None where they are not known. One that
            is no class of the model counts as wrong.
        names : (str, str), optional
            What to call the source and the target, such as the names of their files.
        force : bool
            Write over a file that exists.
        """
        from isthmus.report import write_report

        return write_report(self, path, ids=ids, truth=truth, names=names, force=force)

    def to_frame(self, ids: Iterable[Any] | None = None) -> Any:
        """A pandas DataFrame with a row for each target text: label, confidence, a probability for each class, text.

        `ids` become its index. Needs pandas.
        """
        columns: dict[str, Any] = {"label": self.labels, "confidence": self.probabilities.max(axis=1)}
        columns |= {f"p_{label}": self.probabilities[:, number] for number, label in enumerate(self.classes.tolist())}
        columns |= {} if self.novel is None else {"novel": self.novel}
        if len(self.target_texts) == len(self.labels):
            columns["text"] = list(self.target_texts)
        index = None if ids is None else read_column(ids, "ids", "ids")
        if index is not None and len(index) != len(self.labels):
            raise ValueError(f"ids has {len(index)} entries, and there are {len(self.labels)} texts: give one each.")
        return data_frame(columns, index)

    def leaderboard(self) -> Any:
        """A pandas DataFrame of the candidates that an automatic choice compared. Needs pandas."""
        board = getattr(self.estimator, "leaderboard_", None)
        if board is None:
            raise TypeError(f"{type(self.estimator).__name__} compared no candidates; Auto does.")
        return data_frame(board.rows)

    def __repr__(self) -> str:
        counts = dict(zip(*np.unique(self.labels.astype(str), return_counts=True), strict=True))
        first, n = sorted(counts.items(), key=lambda item: -item[1])[:5], len(self.labels)
        if not n and self.n_texts:
            return f"<Result of {type(self.estimator).__name__}: {self.n_texts:,} texts, which it does not hold>"
        named = ", ".join(f"{label}: {n:,}" for label, n in first)
        more = f", and {len(counts) - 5} more" if len(counts) > 5 else ""
        estimate = getattr(self.estimator, "estimated_accuracy_", None)
        accuracy = "" if estimate is None else f"; estimated accuracy {estimate}"
        return f"<Result of {type(self.estimator).__name__}: {n:,} text{'s' * (n != 1)} ({named}{more}){accuracy}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, estimate and warnings, and the bridge where there are words for one."""
        from isthmus.report import result_html

        return result_html(self)


def digests_of(texts: Iterable[str]) -> Array:
    """A number for each text, by which it is known again, and which tells nothing of it."""
    digests = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def digests_of_known(texts: Iterable[str], labels: Sequence[Any]) -> Array:
    """Of the texts whose label is known; the others have None."""
    return digests_of(text for text, label in zip(texts, labels, strict=True) if label is not None)


def without_documents(result: Result) -> Result:
    """A copy without the labels of the fit's own documents, which a file of predictions holds."""
    estimator = copy(result.estimator)
    estimator.transduction_, estimator.label_distributions_ = (
        own[:0] for own in (estimator.transduction_, estimator.label_distributions_)
    )
    nothing, none, n = result.labels[:0], result.probabilities[:0], len(result.labels)
    return replace(result, estimator=estimator, labels=nothing, probabilities=none, target_labels=(), n_texts=n)
