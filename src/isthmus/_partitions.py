"""A target in partitions that lie with the workers of a cluster: its documents never come here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from isthmus._result import Result, without_documents
from isthmus.core import sample
from isthmus.core.cluster import answer, on_workers, send
from isthmus.core.estimator import TransferClassifier
from isthmus.core.labels import read_texts
from isthmus.core.numerics import stack
from isthmus.core.parts import drawn_rows
from isthmus.core.problem import warn_of_empty
from isthmus.core.remote import RemoteMatrix, RemoteRows, answers_of_rows, remote_problem
from isthmus.drift import DrawnDocuments, drawn_for_profile, profile_drawn
from isthmus.exceptions import DataError, SampleWarning, warn
from isthmus.io.matrices import open_matrix
from isthmus.methods import METHODS
from isthmus.text.partitions import PartitionTexts, partitions_to_matrix
from isthmus.typing import Array, DomainName, Matrix, Positions

TARGET = "target"


@dataclass(frozen=True)
class AtFit:
    """What a fit has found for the documents of a partition."""

    rows: str
    """The folder of their matrix."""
    probabilities: Any
    """Of those that hold a word; on a worker, or here."""


@dataclass(frozen=True)
class PartitionedTarget:
    """Texts, and the rows that a vectorizer made of them."""

    client: Any
    texts: Sequence[PartitionTexts]
    vectorizer: Pipeline
    matrix: RemoteMatrix

    @property
    def n_texts(self) -> int:
        return sum(own.n_rows for own in self.matrix.partitions)

    def result(
        self, estimator: TransferClassifier, found: RemoteRows | Array | None, n_others: int
    ) -> tuple[Result, list[AtFit]]:
        """A fitted model without labels of its documents, and what `learn` found for those of each partition.

        Nothing, if they are like later ones. `n_others` texts were learned from as well.
        """
        warn_of_empty(self.n_texts - self.matrix.shape[0], self.n_texts)
        at_fit = self._by_partition(found)
        result = Result(
            labels=estimator.transduction_,
            probabilities=estimator.label_distributions_,
            classes=estimator.classes_,
            estimator=estimator,
            vectorizer=self.vectorizer,
            profile=self._profile(estimator, at_fit, n_others),
        )
        return replace(without_documents(result), n_texts=self.n_texts), at_fit

    def probabilities(self, estimator: TransferClassifier, at_fit: list[AtFit]) -> Array:
        """Of all documents, here."""
        if at_fit:
            prior = estimator.class_prior_
            asked = [send(self.client, answers_of_rows, own.rows, prior, own.probabilities) for own in at_fit]
        else:
            sent = on_workers(self.client, estimator)
            asked = [send(self.client, _like_later_ones, sent, own.folder) for own in self.matrix.partitions]
        return np.concatenate([answer(self.client, own) for own in asked])

    def _by_partition(self, found: RemoteRows | Array | None) -> list[AtFit]:
        if found is None:
            return []
        spans = zip(self.matrix.partitions, pairwise(self.matrix.firsts.tolist()), strict=True)
        return [
            AtFit(own.folder, found.between(first, last) if isinstance(found, RemoteRows) else found[first:last])
            for own, (first, last) in spans
        ]

    def _profile(self, estimator: TransferClassifier, at_fit: list[AtFit], n_others: int) -> Any:
        """What the target looks like, by some of its documents."""
        ends = np.cumsum([0, *(own.n_rows for own in self.matrix.partitions)])
        rows, sent = drawn_for_profile(self.n_texts), []
        for number, (first, last) in enumerate(pairwise(ends.tolist())):
            own = rows[(rows >= first) & (rows < last)] - first
            if len(own):
                known = (estimator.class_prior_, at_fit[number].probabilities) if at_fit else ()
                given = (self.texts[number].texts, self.matrix.partitions[number].folder, own, *known)
                sent.append(send(self.client, _looked_at, *given))
        looked_at = [answer(self.client, each) for each in sent]
        texts, X = [text for own, _, _ in looked_at for text in own], stack([X for _, X, _ in looked_at])
        some = DrawnDocuments(texts, X, self.matrix.word_sums / self.n_texts, self.n_texts)
        found = profile_drawn(estimator, self.vectorizer, some, n_others)
        if found is None or not at_fit:
            return found
        return replace(found, confidence=np.concatenate([confidence for _, _, confidence in looked_at]))


def transfer_partitions(
    estimator: TransferClassifier,
    source: list[str],
    labels: list[Any],
    domains: list[DomainName],
    target: Any,
    client: Any,
    folder: Any,
    preset: str | None,
) -> Result:
    """`isthmus.transfer` to a Dask bag of texts, or a column of a Dask dataframe: labels come here."""
    texts = partitions_of(client, target)
    there = PartitionedTarget(client, texts, *partitions_to_matrix(client, texts, source, Path(folder), preset))
    found = learn(estimator, there.vectorizer.transform(source), labels, domains, there.matrix)
    result, at_fit = there.result(estimator, found, len(source))
    probabilities = there.probabilities(result.estimator, at_fit)
    own = result.classes[probabilities.argmax(axis=1)]
    return replace(result, labels=own, probabilities=probabilities, source_texts=source, source_labels=labels)


def partitions_of(client: Any, collection: Any) -> list[PartitionTexts]:
    """The partitions of a Dask collection that hold a text, computed on the workers, who keep them."""
    if getattr(collection, "ndim", 1) != 1:
        raise TypeError("target_texts is a table: give one column of it, such as table['text'].")
    sent = [send(client, _texts, own) for own in client.compute(list(collection.to_delayed()))]
    sizes = [answer(client, send(client, len, own)) for own in sent]
    found = [
        PartitionTexts(f"partition {number} of target_texts", own)
        for number, (own, size) in enumerate(zip(sent, sizes, strict=True))
        if size
    ]
    if not found:
        raise ValueError("target_texts is empty: give at least one text.")
    return found


def learn(
    estimator: TransferClassifier,
    X: Matrix,
    labels: Sequence[Any],
    domains: Sequence[DomainName],
    matrix: RemoteMatrix,
) -> RemoteRows | Array | None:
    """Fit; class probabilities of the target's documents, there or here, or None if they are those of later ones.

    `X`, `labels` and `domains` are the source's.
    """
    if estimator.passes_over_parts:
        found: RemoteRows = estimator.fit_remote(remote_problem(estimator, X, labels, domains, matrix, TARGET))
        return found
    n = matrix.shape[0]
    rows = drawn_rows(n, 2 * sample.AT_MOST)
    name = type(estimator).__name__
    if len(rows) < n:
        if not estimator.learns_from_a_sample:
            others = ", ".join(other for other, method in METHODS.items() if method().passes_over_parts)
            raise DataError(
                f"{name} learns from all documents in one place, and there are {n:,}: choose Auto, or one that passes "
                f"over them where they lie ({others})."
            )
        note = f"{name} looks at {len(rows):,} of {n:,} documents, and labels all like those that come later."
        warn(note, SampleWarning)
    some, unknown = stack([X, matrix.taken(rows)]), [None] * len(rows)
    everywhere = [*domains, *[TARGET] * len(rows)]
    estimator.fit(some, [*labels, *unknown], sample_domain=everywhere, target_domain=TARGET)
    return estimator.label_distributions_[len(labels) :] if len(rows) == n else None


def _texts(partition: Any) -> list[str]:
    """On a worker: those of a bag's partition, or of a column's; none is fine."""
    found = list(partition)
    return read_texts(found, "target_texts") if found else []


def _like_later_ones(estimator: TransferClassifier, folder: str) -> Array:
    """On a worker: class probabilities of the documents of a partition."""
    return np.asarray(estimator.predict_proba(open_matrix(folder)))


def _looked_at(
    texts: Any, folder: str, rows: Positions, prior: Array | None = None, found: Any = None
) -> tuple[list[str], Matrix, Array | None]:
    """On a worker: some texts of a partition, their rows, and how sure the fit was of them."""
    wanted = set(rows.tolist())
    some = [text for row, text in enumerate(texts) if row in wanted]
    if prior is None:
        return some, open_matrix(folder)[rows], None
    return some, open_matrix(folder)[rows], answers_of_rows(folder, prior, found)[rows].max(axis=1)
