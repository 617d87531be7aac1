"""Domain adaptation of texts: texts in, labels out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from isthmus.auto import Auto
from isthmus.auto.update import update_estimator
from isthmus.core.cluster import on_cluster
from isthmus.core.estimator import TransferClassifier
from isthmus.core.labels import filled_column, read_column, read_source_labels, spelled_like
from isthmus.drift import TargetProfile, profile_update
from isthmus.inspection.tables import data_frame
from isthmus.inspection.topics import Topics
from isthmus.methods import METHODS
from isthmus.text import (
    NO_WORD,
    WordsAndEmbeddings,
    encoder_vectorizer,
    grown_vectorizer,
    local_static_encoder,
    preset_for,
    preset_vectorizer,
    read_encoder,
    rows_in_folder,
)
from isthmus.typing import Array, DomainName, Mask, Matrix

SOURCE, TARGET = "source", "target"
DEFAULT_METHOD = "Auto"


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
    """Target texts of the fit, where their labels were left out of the file: `isthmus fit` does, in blocks."""

    @property
    def given(self) -> Mask:
        """Which target texts had a label that was learned from: it says nothing about the others."""
        return np.array([label is not None for label in self.target_labels] or [False] * len(self.labels), dtype=bool)

    @property
    def novel(self) -> Mask | None:
        """Which target texts are set aside as a class that the source lacks; None but for `Auto(novelty=True)`."""
        found = getattr(self.estimator, "novel_", None)
        return None if found is None else found[len(found) - len(self.labels) :]

    def predict(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Labels of target texts that came later."""
        return self.estimator.predict(self.vectorizer.transform(_read_texts(texts, "texts")))

    def predict_proba(self, texts: Sequence[str]) -> Array:
        """Class probabilities of target texts that came later."""
        return self.estimator.predict_proba(self.vectorizer.transform(_read_texts(texts, "texts")))

    def update(self, texts: Sequence[str], labels: Sequence[Any] | None = None) -> Result:
        """Incremental learning: a result that has learned from target texts that came later, and labels them.

        The texts of the fit are not needed, and the cost grows with what arrived. `labels` has one for each text, and
        None where nobody knows. Words that were not known are learned; of 200 texts or more, drift is told by these
        from then on.
        """
        found = _read_texts(texts, "texts")
        known = [None] * len(found) if labels is None else read_column(labels, "labels", "labels")
        if len(known) != len(found):
            raise ValueError(f"labels has {len(known)} entries and texts {len(found)}: give None for unknown ones.")
        known = spelled_like(known, self.classes.tolist())
        if strange := set(known) - {None, *self.classes.tolist()}:
            raise ValueError(f"labels holds {strange.pop()!r}, which the model does not know: fit it with that class.")
        vectorizer = grown_vectorizer(self.vectorizer, found, self.n_texts or len(self.labels))
        X = vectorizer.transform(found)
        estimator = update_estimator(self.estimator, X, known)
        probabilities = estimator.predict_proba(X)
        given = np.array([label is not None for label in known])
        probabilities[given] = [self.classes == label for label in known if label is not None] or probabilities[given]
        profile = profile_update(self, estimator, vectorizer, found, X)
        own = {"labels": self.classes[probabilities.argmax(axis=1)], "probabilities": probabilities, "X": X}
        words = {"estimator": estimator, "vectorizer": vectorizer, "target_texts": found, "target_labels": known}
        return Result(classes=self.classes, profile=profile, **own, **words)

    def topics(self, n_words: int = 10) -> Topics:
        """The words that carried the labels across, for methods that have topics."""
        if not hasattr(self.estimator, "topics"):
            raise TypeError(f"{type(self.estimator).__name__} has no topics here; TCL and NMTF have.")
        return self.estimator.topics(self.vectorizer.get_feature_names_out(), n_words)

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
            True labels, for accuracy, confusion and ROC, and for nothing else; None where they are not known.
        names : (str, str), optional
            What to call the source and the target, such as the names of their files.
        force : bool
            Write over a file that exists.
        """
        from isthmus.report import write_report

        return write_report(self, path, ids=ids, truth=truth, names=names, force=force)

    def to_frame(self, ids: Sequence[Any] | None = None) -> Any:
        """A pandas DataFrame with a row for each target text: label, confidence, a probability for each class, text.

        `ids` become its index. Needs pandas.
        """
        columns: dict[str, Any] = {"label": self.labels, "confidence": self.probabilities.max(axis=1)}
        columns |= {f"p_{label}": self.probabilities[:, number] for number, label in enumerate(self.classes.tolist())}
        columns |= {} if self.novel is None else {"novel": self.novel}
        if len(self.target_texts) == len(self.labels):
            columns["text"] = list(self.target_texts)
        return data_frame(columns, None if ids is None else read_column(ids, "ids", "ids"))

    def leaderboard(self) -> Any:
        """A pandas DataFrame of the candidates that an automatic choice compared. Needs pandas."""
        board = getattr(self.estimator, "leaderboard_", None)
        if board is None:
            raise TypeError(f"{type(self.estimator).__name__} compared no candidates; Auto does.")
        return data_frame(board.rows)

    def __repr__(self) -> str:
        counts = dict(zip(*np.unique(self.labels.astype(str), return_counts=True), strict=True))
        first, n = sorted(counts.items(), key=lambda item: -item[1])[:5], len(self.labels)
        named = ", ".join(f"{label}: {n:,}" for label, n in first)
        more = f", and {len(counts) - 5} more" if len(counts) > 5 else ""
        estimate = getattr(self.estimator, "estimated_accuracy_", None)
        accuracy = "" if estimate is None else f"; estimated accuracy {estimate}"
        return f"<Result of {type(self.estimator).__name__}: {n:,} text{'s' * (n != 1)} ({named}{more}){accuracy}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, estimate and warnings, and the bridge where there are words for one."""
        from isthmus.report import result_html

        return result_html(self)


def transfer(
    source_texts: Sequence[str],
    source_labels: Sequence[Any],
    target_texts: Collection[str],
    *,
    method: str | TransferClassifier = DEFAULT_METHOD,
    vectorizer: Any = None,
    preset: str | None = None,
    encoder: Any = "auto",
    target_prior: Any = None,
    source_domains: Sequence[DomainName] | None = None,
    target_labels: Sequence[Any] | None = None,
    random_state: Any = 0,
    max_time: float | None = None,
    verbose: int = 0,
    client: Any = None,
    folder: str | Path | None = None,
) -> Result:
    """Unsupervised domain adaptation for text: label the texts of one domain with the labels of another.

    Parameters
    ----------
    source_texts, source_labels
        Texts that somebody has labelled, and one label for each.
    target_texts
        Texts from somewhere else.
    method
        A method's name, in any case ("Auto", "TCL", "LR", ...), or an estimator. By default the automatic choice, which
        tries several, estimates its accuracy and warns of negative transfer.
    vectorizer
        Anything with scikit-learn's `fit_transform` and `transform` that makes non-negative rows of texts. By default,
        unit rows of (1 + ln tf) ln(N / df) of all words in at least two texts; where a script has no spaces, of pairs
        of characters (`isthmus.text.UnicodeCounts`); beside short texts' words, of character n-grams (`preset_for`).
    preset
        The vectorizer with a paper's settings: "tcl", "cci", "dtlm", "cdsc". "default" counts words, "opinions" pairs
        of words as well, and "short", for texts of a sentence or two, runs of four letters.
    encoder
        Anything with `encode(list of texts)` that returns a row of numbers for each, such as a sentence-transformers
        model; or "static", or the name or the folder of a static model (`isthmus[static]`). Nothing is downloaded.
        For `Auto` it is a second view beside words. For any other method it takes the place of the vectorizer, signed
        numbers split into positive and negative parts. By default ("auto"), `Auto` takes minishlab/potion-base-8M if
        that is on this machine, unless a vectorizer or preset is given; None for words alone.
    target_prior : "auto", "source", "unknown" or dict of class to share, optional
        The target's class prior, for methods that go by one, such as `Auto`: found by evidence, which `Auto` alone can;
        like the source's (no label shift); not known; or given. By default as the method has it.
    source_domains
        A name for the domain of each source text, where there are several sources.
    target_labels
        A label for each target text; None, NaN or "" for those without. Only those few that are known may stand here:
        they are read, and what stands here for scoring would leak. 1.0 and "1" are taken for a source label 1.
    random_state
        For methods that start at random.
    max_time : float, optional
        About the seconds to learn in: `Auto` leaves out candidates that would take longer, and methods that go step by
        step stop.
    verbose : int
        Print how far it is, for methods that tell.
    client : dask.distributed.Client, optional
        A cluster whose workers pass over the documents, for factorizations such as TCL (`isthmus[cluster]`). The result
        is the same.
    folder : path, optional
        Where to keep the matrix of the texts, for a target that does not fit into memory: `target_texts` may then be
        anything with a length that can be gone through again, such as `isthmus.io.documents.FileColumn`, and words are
        read by a preset, without an encoder. A call that was interrupted goes on after its last block, if it is made
        again with the same texts and folder. The result needs the folder as long as its `X` is used.

    Examples
    --------
    >>> import isthmus
    >>> result = isthmus.transfer(
    ...     ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"],
    ...     ["billing", "billing", "fault", "fault"],
    ...     ["charged twice for one ride, refund please", "the app crashes at the dock"],
    ... )
    >>> result.labels.tolist()
    ['billing', 'fault']
    """
    source = _read_texts(source_texts, "source_texts")
    target: Any = _read_texts(target_texts, "target_texts") if folder is None else target_texts
    labels = read_source_labels(source_labels, len(source))
    few = [] if target_labels is None else read_column(target_labels, "target_labels", "labels")
    if target_labels is not None and len(few) != len(target):
        raise ValueError(
            f"target_labels has {len(few)} entries and target_texts {len(target)}: give None for texts without a label."
        )
    few = spelled_like(few, labels)
    estimator = read_method(method, random_state)
    before = {name: value for name, value in estimator.get_params().items() if name == "callback"}
    _tell(estimator, target_prior, max_time, verbose)
    if folder is None:
        vectorizer = _read_vectorizer(vectorizer, preset, encoder, isinstance(estimator, Auto), source, target)
        X = _vectorized(vectorizer, source, target)
    else:
        vectorizer, X = rows_in_folder(source, target, folder, preset, (vectorizer, encoder))
    if isinstance(vectorizer, WordsAndEmbeddings):
        estimator.set_params(n_embedding_features=vectorizer.n_embedding_features_)
    known = [label is not None for label in labels + few]
    with on_cluster(client):
        estimator.fit(  # with columns that nobody else holds
            X,
            filled_column(labels + few, X.shape[0], None),
            sample_domain=_read_domains(source_domains, len(source)) + [TARGET] * len(target),
            target_domain=TARGET,
            sample_labeled=filled_column(known, X.shape[0], False),
        )
    estimator.set_params(**before)  # without the clock, which no file could hold
    return Result(
        labels=estimator.transduction_[len(source) :],
        probabilities=estimator.label_distributions_[len(source) :],
        classes=estimator.classes_,
        estimator=estimator,
        vectorizer=vectorizer,
        source_texts=source,
        source_labels=labels,
        target_texts=target if folder is None else (),
        target_labels=few or (),
        X=X,
    )


def _tell(estimator: TransferClassifier, target_prior: Any, max_time: float | None, verbose: int) -> None:
    """What `transfer` was told, to a method that listens."""
    if target_prior is not None:
        _set_prior(estimator, target_prior)
    if max_time is not None:
        limit_time(estimator, max_time)
    if verbose and "verbose" in estimator.get_params():
        estimator.set_params(verbose=verbose)


def _set_prior(estimator: TransferClassifier, target_prior: Any) -> None:
    if "target_prior" not in estimator.get_params():
        raise ValueError(
            f"target_prior is {target_prior!r}, and {type(estimator).__name__} goes by none: leave it out, or choose "
            "Auto, SelfTraining, TransductiveLR, NaiveBayesEM or TSVM."
        )
    estimator.set_params(target_prior=target_prior)


def limit_time(estimator: TransferClassifier, max_time: float) -> None:
    """Let a fit take about this many seconds; a method that goes step by step is stopped by its callback."""
    known = estimator.get_params()
    if not isinstance(max_time, Real) or not max_time >= 0:
        raise ValueError(f"max_time is {max_time!r}: give a number of seconds.")
    if "max_time" in known:
        estimator.set_params(max_time=max_time)
    elif "callback" in known:
        before = known["callback"]
        estimator.set_params(callback=lambda step: bool(before and before(step)) or step.seconds > max_time)
    else:
        raise ValueError(f"max_time is {max_time!r}, and {type(estimator).__name__} cannot be stopped: leave it out.")


def _vectorized(vectorizer: Any, source: list[str], target: list[str]) -> Matrix:
    """All texts as rows, with complaints in the words of `transfer`."""
    try:
        X = vectorizer.fit_transform(source + target)
    except ValueError as error:
        if "no terms remain" not in str(error) and "empty vocabulary" not in str(error):
            raise
        raise ValueError(
            "No word stands in as many texts as the vectorizer asks for: give more texts, or choose another preset."
        ) from error
    rows = X[len(source) :] if sp.issparse(X) or isinstance(X, np.ndarray) else None
    if rows is not None and not (rows.nnz if sp.issparse(rows) else rows.any()):
        raise ValueError(NO_WORD)
    return X


def _read_texts(texts: Collection[str], argument: str) -> list[str]:
    found = read_column(texts, argument, "texts")
    if not found:
        raise ValueError(f"{argument} is empty: give at least one text.")
    for position, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"{argument}[{position}] is {text!r}, not a string: leave it out or make it text.")
    return found


def _read_domains(source_domains: Sequence[DomainName] | None, n_texts: int) -> list[DomainName]:
    if source_domains is None:
        return [SOURCE] * n_texts
    names = list(source_domains)
    if len(names) != n_texts:
        raise ValueError(
            f"source_domains has {len(names)} entries and source_texts {n_texts}: give one name for each text."
        )
    if TARGET in names:
        raise ValueError(f"source_domains holds {TARGET!r}, which is what the target is called: choose another name.")
    return names


def _read_vectorizer(vectorizer: Any, preset: str | None, encoder: Any, takes_both: bool, *texts: list[str]) -> Any:
    """`takes_both`: whether the method reads embeddings beside words. `texts` are the source's and the target's."""
    if vectorizer is not None and preset is not None:
        raise ValueError("vectorizer and preset are both given: leave one of them out.")
    words_given = vectorizer is not None or preset is not None
    if isinstance(encoder, str) and encoder == "auto":
        encoder = local_static_encoder() if takes_both and not words_given else None
    if encoder is not None and words_given and not takes_both:
        raise ValueError(
            f"encoder and {'preset' if vectorizer is None else 'vectorizer'} are both given, which Auto alone takes: "
            "leave one of them out."
        )
    if encoder is not None and not takes_both:
        return encoder_vectorizer(encoder)
    words = preset_vectorizer(preset or preset_for(*texts)) if vectorizer is None else clone(vectorizer, safe=False)
    return words if encoder is None else WordsAndEmbeddings(words, read_encoder(encoder))


def read_method(method: str | TransferClassifier, random_state: Any) -> TransferClassifier:
    """An estimator by the name of its method, or a copy of the one given: itself, if it keeps what fits make."""
    if isinstance(method, TransferClassifier):
        return method if method.get_params().get("warm_start") else clone(method)
    by_name = {name.lower(): kind for name, kind in {"Auto": Auto, **METHODS}.items()}
    if not isinstance(method, str) or method.lower() not in by_name:
        raise ValueError(
            f"method is {method!r}: choose from Auto, {', '.join(METHODS)}, or give an estimator of isthmus."
        )
    estimator: TransferClassifier = by_name[method.lower()]()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=random_state)
    return estimator
