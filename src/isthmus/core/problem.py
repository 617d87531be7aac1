"""The problem: what a fit sees.

One place validates the input, splits the rows by domain, encodes the labels and hides those that may not be
read. Nothing after `make_problem` ever sees ``y``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from isthmus.core.domains import read_domains, read_targets
from isthmus.core.labels import read_labels
from isthmus.core.numerics import chunks, frozen, span_of, squared_norm, stack, take_rows
from isthmus.exceptions import EmptyDocumentWarning, warn
from isthmus.typing import Array, DomainName, DomainNames, Mask, Matrix, Positions


@dataclass(frozen=True, eq=False)
class Domain:
    """The documents of one domain that hold at least one word."""

    name: DomainName
    is_target: bool
    matrix: Matrix
    """Documents x words."""
    rows: Positions
    """Where these documents stand in X."""
    labels: Array
    """One-hot classes of the rows that may be read; zero in all others."""
    labeled: Mask

    @cached_property
    def fully_labeled(self) -> bool:
        return bool(self.labeled.all())

    @cached_property
    def unlabeled(self) -> Matrix:
        """The documents whose label nobody gave."""
        return self.matrix[~self.labeled] if self.labeled.any() else self.matrix


@dataclass(frozen=True, eq=False)
class DocumentStack:
    """The documents of all domains, without their labels."""

    matrices: tuple[Matrix, ...]

    @cached_property
    def stacked(self) -> Matrix:
        return stack(list(self.matrices))


@dataclass(frozen=True, eq=False)
class Problem:
    """The data of one domain adaptation problem, immutable: matrices by domain and the labels that may be read."""

    domains: tuple[Domain, ...]
    """In the order in which their first document appears."""
    classes: np.ndarray[Any, Any]
    class_prior: Array
    """Share of each class among the labeled documents."""
    known: Array
    """One row per row of X: one-hot where the label may be read, zero elsewhere."""
    empty: Positions
    """Rows of X that hold no word. No method sees them."""
    documents: DocumentStack
    n_embeddings: int = 0
    """Features at the right that are embeddings; all others are words."""

    @cached_property
    def n_rows(self) -> int:
        return len(self.known)

    @cached_property
    def n_words(self) -> int:
        return int(self.domains[0].matrix.shape[1])

    @cached_property
    def n_classes(self) -> int:
        return len(self.classes)

    @cached_property
    def targets(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if domain.is_target)

    @cached_property
    def labeled_sources(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if domain.labeled.any() and not domain.is_target)

    @cached_property
    def labeled_targets(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.targets if domain.labeled.any())

    @cached_property
    def mean_squared_length(self) -> float:
        """Of a document of any domain. One, where rows have unit length, whatever single precision makes of it."""
        squares = sum(squared_norm(domain.matrix) for domain in self.domains)
        found = squares / sum(len(domain.rows) for domain in self.domains)
        return 1.0 if self.domains[0].matrix.dtype == np.float32 and abs(found - 1) < 1e-6 else found

    @cached_property
    def is_signed(self) -> bool:
        """Whether any value is negative."""
        return any(_lowest(domain.matrix) < 0 for domain in self.domains)

    @cached_property
    def is_bag_of_words(self) -> bool:
        """Whether X is sparse and nowhere negative. Cosines of other features, such as embeddings, are all high."""
        return sp.issparse(self.domains[0].matrix) and not self.is_signed

    @cached_property
    def labeled(self) -> tuple[Matrix, Positions]:
        """The labeled documents of all domains, stacked, and their class numbers."""
        return labeled_documents([domain for domain in self.domains if domain.labeled.any()])

    @cached_property
    def unlabeled(self) -> Matrix:
        """The documents whose label nobody gave, of all domains, stacked."""
        parts = [domain.unlabeled for domain in self.domains if not domain.fully_labeled]
        return stack(parts or [self.domains[0].matrix[:0]])

    @cached_property
    def labeled_first(self) -> Matrix:
        """The labeled documents of all domains and, below them, the unlabeled ones."""
        steps = np.diff(np.concatenate([domain.labeled for domain in self.domains]).astype(np.int8))
        return self.documents.stacked if (steps <= 0).all() else stack([self.labeled[0], self.unlabeled])

    @cached_property
    def ends_of_unlabeled(self) -> Positions:
        """Where in `unlabeled` the documents of each domain but the last end."""
        return np.cumsum([int((~domain.labeled).sum()) for domain in self.domains])[:-1]

    @cached_property
    def of_target(self) -> Mask:
        """Which of `unlabeled` are the target's: some of the source's may have no label either."""
        is_target = [domain.is_target or not self.targets for domain in self.domains]
        return np.repeat(is_target, [int((~domain.labeled).sum()) for domain in self.domains])

    def relabeled(self, domains: tuple[Domain, ...], class_prior: Array) -> Problem:
        """The same documents with other labels to be read."""
        return replace(self, domains=domains, class_prior=class_prior)

    def scaled(self, factor: float) -> Problem:
        """The same documents at another length."""
        factor = self.domains[0].matrix.dtype.type(factor)
        return self._seen_as(lambda matrix: matrix * factor)

    @cached_property
    def words_alone(self) -> Problem:
        """The same documents without embeddings."""
        if not self.n_embeddings:
            return self
        return replace(self._seen_as(lambda matrix: matrix[:, : -self.n_embeddings]), n_embeddings=0)

    def with_domains(self, domains: tuple[Domain, ...], **changes: Any) -> Problem:
        """The same problem with other documents."""
        return replace(self, domains=domains, documents=_stacked(domains), **changes)

    def target_mean(self, values: Array) -> Array:
        """The mean of what each domain has, by its number of documents: of targets, or of all if there is none."""
        chosen = [number for number, domain in enumerate(self.domains) if domain.is_target or not self.targets]
        sizes = [len(self.domains[number].rows) for number in chosen]
        return np.average(values[chosen], axis=0, weights=sizes).astype(values.dtype, copy=False)

    def _seen_as(self, change: Callable[[Matrix], Matrix]) -> Problem:
        return self.with_domains(tuple(replace(domain, matrix=change(domain.matrix)) for domain in self.domains))


def _stacked(domains: Sequence[Domain]) -> DocumentStack:
    return DocumentStack(tuple(domain.matrix for domain in domains))


def labeled_documents(domains: Sequence[Domain]) -> tuple[Matrix, Positions]:
    """The labeled documents of some domains, each of which has one at least, and their class numbers."""
    matrices = [domain.matrix if domain.fully_labeled else domain.matrix[domain.labeled] for domain in domains]
    return stack(matrices), np.concatenate([domain.labels[domain.labeled].argmax(axis=1) for domain in domains])


def make_problem(
    estimator: Any,
    X: Any,
    y: Any,
    sample_domain: DomainNames | None = None,
    target_domain: Any = None,
    sample_labeled: Any = None,
) -> Problem:
    """Validate the arguments of `fit` and hide the labels that may not be read."""
    matrix = read_documents(estimator, X, reset=True)
    n_rows = matrix.shape[0]
    domain_of_row, names = read_domains(sample_domain, n_rows)
    targets = read_targets(target_domain, names)
    # Sources first, whichever rows come first: a random start falls to each domain in turn.
    order = sorted(range(len(names)), key=lambda number: names[number] in targets)
    names, domain_of_row = [names[number] for number in order], np.argsort(order)[domain_of_row]
    is_target = np.array([name in targets for name in names])
    labeled = read_mask(sample_labeled, ~is_target[domain_of_row])
    classes, known = read_labels(estimator, y, labeled, matrix.dtype)

    full = has_words(matrix)
    if not (seen := known[full].any(axis=0)).all():
        names_of = ", ".join(repr(name) for name in classes[~seen].tolist())
        raise ValueError(f"Every labeled document of {names_of} is empty: add some that hold words, or take them out.")
    domains = []
    for number, name in enumerate(names):
        here = domain_of_row == number
        rows = np.flatnonzero(here & full)
        if not len(rows):
            raise ValueError(
                f"X holds no word in any of the {here.sum()} documents of domain {name!r}: "
                "vectorize both domains with one vocabulary, or leave this domain out."
            )
        domains.append(
            Domain(
                name=name,
                is_target=bool(is_target[number]),
                matrix=frozen(matrix if len(rows) == n_rows else take_rows(matrix, rows)),
                rows=frozen(rows),
                labels=frozen(known[span_of(rows)]),
                labeled=frozen(labeled[rows]),
            )
        )
    _check_bridge(domains)
    empty = np.flatnonzero(~full)
    warn_of_empty(len(empty), n_rows)
    prior = known.sum(axis=0) / known.sum()
    return Problem(tuple(domains), classes, frozen(prior), frozen(known), frozen(empty), _stacked(domains))


def read_documents(estimator: Any, X: Any, *, reset: bool) -> Matrix:
    """Validate X for `fit` (reset) or `predict`: CSR or dense, finite, and non-negative where that matters."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        raise TypeError("X holds texts: make rows of them with a vectorizer, or give them to isthmus.transfer.")
    matrix = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=(np.float64, np.float32),
        ensure_all_finite=False,
    )
    _check_values(estimator, matrix, fitting=reset)
    if sp.issparse(matrix) and not (matrix.has_canonical_format and all(part.all() for part in chunks(matrix.data))):
        matrix = matrix.copy()  # never change what the user holds
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return _narrowed(matrix) if sp.issparse(matrix) else matrix


def _narrowed(matrix: Matrix) -> Matrix:
    """With 32-bit indices where they suffice: half the memory, and all that liblinear takes."""
    if matrix.indices.dtype == np.int32 or max(matrix.shape[1], matrix.nnz) > np.iinfo(np.int32).max:
        return matrix
    parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return type(matrix)(parts, shape=matrix.shape)


def has_words(matrix: Matrix) -> Mask:
    """Which rows hold a value other than zero."""
    if sp.issparse(matrix):
        return np.asarray(np.diff(matrix.indptr) > 0)
    return np.asarray((matrix != 0).any(axis=1))


def warn_of_empty(n_empty: int, n_rows: int) -> None:
    """Count the documents that no method sees."""
    if n_empty:
        warn(
            f"{n_empty} of {n_rows} documents {'holds' if n_empty == 1 else 'hold'} no known word; "
            f"{'it gets' if n_empty == 1 else 'they get'} the class prior of the labeled documents.",
            EmptyDocumentWarning,
        )


def read_mask(sample_labeled: Any, from_source: Mask) -> Mask:
    """Which labels may be read: by default those of the source domains."""
    if sample_labeled is None:
        return from_source
    mask = np.asarray(sample_labeled)
    if mask.dtype != np.bool_:
        raise TypeError(f"sample_labeled holds {mask.dtype} values: give a boolean mask (True: the label may be read).")
    if mask.shape != from_source.shape:
        raise ValueError(
            f"sample_labeled has shape {mask.shape} and X has {len(from_source)} rows: give one True or False per row."
        )
    return mask


def _lowest(matrix: Matrix) -> float:
    values = matrix.data if sp.issparse(matrix) else matrix
    return float(min((part.min() for part in chunks(np.ravel(values))), default=0))


def _check_values(estimator: Any, matrix: Matrix, *, fitting: bool) -> None:
    values = matrix.data if sp.issparse(matrix) else matrix
    if not values.size:
        return
    lows, highs = zip(*((part.min(), part.max()) for part in chunks(np.ravel(values))), strict=True)
    low, high = np.min(lows), np.max(highs)
    if not (np.isfinite(low) and np.isfinite(high)):
        bad = "NaN" if np.isnan(low) else "infinity"
        raise ValueError(
            f"X holds {bad}, first in row {_first_row(matrix, ~np.isfinite(values))}: "
            "replace them (0 means that a word does not occur) or drop those rows."
        )
    largest, limits = max(abs(low), abs(high)), np.finfo(np.float32)  # which methods compute in, here and there
    # With room for sums of many squares. A new document may be as short as it likes.
    if largest > limits.max**0.4 or (fitting and 0 < largest < limits.tiny**0.4):
        raise ValueError(
            f"The largest value of X is {largest:g}, and sums of squares of such numbers would not be exact: divide X "
            "by it."
        )
    if low < 0 and estimator.__sklearn_tags__().input_tags.positive_only:
        raise ValueError(
            f"Negative values in data passed to {type(estimator).__name__}: X holds {low:g}, first in row "
            f"{_first_row(matrix, values < 0)}. Use counts or tf-idf weights without centring, "
            "or split embeddings with isthmus.SignSplit()."
        )


def _first_row(matrix: Matrix, bad: Mask) -> int:
    if not sp.issparse(matrix):
        return int(np.flatnonzero(bad.any(axis=1))[0])
    return int(np.searchsorted(matrix.indptr, np.flatnonzero(bad)[0], side="right") - 1)


def _check_bridge(domains: list[Domain]) -> None:
    """A target that shares no word with any labeled document has nothing to learn from."""
    if not any(domain.is_target for domain in domains):
        return
    seen = np.zeros(domains[0].matrix.shape[1], dtype=bool)
    for domain in domains:
        if domain.labeled.any():
            seen |= _words_used(domain.matrix if domain.fully_labeled else domain.matrix[domain.labeled])
    for domain in domains:
        if domain.is_target and not np.any(seen & _words_used(domain.matrix)):
            raise ValueError(
                f"Target domain {domain.name!r} shares no word with the labeled documents: vectorize all domains "
                "together, with one vocabulary; two languages need an encoder that knows both."
            )


def _words_used(matrix: Matrix) -> Mask:
    if sp.issparse(matrix):
        counts = (np.bincount(part, minlength=matrix.shape[1]) for part in chunks(matrix.indices))
        return np.asarray(sum(counts, start=np.zeros(matrix.shape[1])) > 0)
    return np.asarray((matrix != 0).any(axis=0))
