"""Domain adaptation of texts: texts in, labels out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from isthmus._partitions import TARGET, transfer_partitions
from isthmus._result import Result, digests_of_known
from isthmus.auto import Auto
from isthmus.core.cluster import on_cluster
from isthmus.core.domains import read_names
from isthmus.core.estimator import TransferClassifier
from isthmus.core.labels import (
    check_column,
    check_several,
    filled_column,
    read_column,
    read_source_labels,
    read_texts,
    spelled_like,
)
from isthmus.exceptions import NoWordError, SimilarLabelWarning, warn
from isthmus.methods import METHODS
from isthmus.quality.labels import nearest_label
from isthmus.text import (
    NO_WORD,
    WordsAndEmbeddings,
    as_rows,
    encoder_vectorizer,
    local_static_encoder,
    preset_for,
    preset_vectorizer,
    read_encoder,
    rows_in_folder,
)
from isthmus.typing import DomainName, Matrix

SOURCE = "source"
DEFAULT_METHOD = "Auto"


def transfer(
    source_texts: Iterable[str],
    source_labels: Iterable[Any],
    target_texts: Iterable[str],
    *,
    method: str | TransferClassifier = DEFAULT_METHOD,
    vectorizer: Any = None,
    preset: str | None = None,
    encoder: Any = "auto",
    target_prior: Any = None,
    source_domains: Iterable[DomainName] | None = None,
    target_labels: Iterable[Any] | None = None,
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
        Texts that somebody has labeled, and one label for each.
    target_texts
        Texts from somewhere else. With a `client`, also a Dask bag of texts or a text column of a Dask dataframe, whose
        partitions stay with the workers (see `folder`).
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
        For methods that start at random, unless an estimator has its own.
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
        again with the same texts and folder. The result needs the folder as long as its `X` is used. Where the target
        is a Dask collection, its workers keep the rows there: a new folder for each collection, that they can open.

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
    source = read_texts(source_texts, "source_texts")
    labels = read_source_labels(source_labels, len(source))
    domains = _read_domains(source_domains, len(source))
    estimator = read_method(method)
    with _told(estimator, random_state, target_prior, max_time, verbose, vectorizer is None) as before:
        if hasattr(target_texts, "to_delayed"):  # a Dask collection
            _check_partitioned(estimator, client, folder, (vectorizer, encoder, target_labels))
            result = transfer_partitions(estimator, source, labels, domains, target_texts, client, folder, preset)
            return replace(result, estimator=_untimed(copy(result.estimator), before))
        target: Any = read_texts(target_texts, "target_texts") if folder is None else _again(target_texts)
        few = _read_few(target_labels, len(target), labels)
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
                sample_domain=domains + [TARGET] * len(target),
                target_domain=TARGET,
                sample_labeled=filled_column(known, X.shape[0], False),
            )
        fitted = _untimed(copy(estimator), before)
    return Result(
        labels=fitted.transduction_[len(source) :],
        probabilities=fitted.label_distributions_[len(source) :],
        classes=fitted.classes_,
        estimator=fitted,
        vectorizer=vectorizer,
        source_texts=source,
        source_labels=labels,
        target_texts=target if folder is None else (),
        target_labels=few or (),
        learned=digests_of_known(target, few) if few else None,
        X=X,
    )


def _again(target_texts: Iterable[str]) -> Iterable[str]:
    """Texts that can be gone through again."""
    check_column(target_texts, "target_texts", "texts")
    if not isinstance(target_texts, Sized):
        raise TypeError(
            f"target_texts is a {type(target_texts).__name__}, which has no length: give a list, or an "
            "isthmus.io.documents.FileColumn, as texts are read several times with folder=."
        )
    return target_texts


def _read_few(target_labels: Iterable[Any] | None, n_texts: int, labels: list[Any]) -> list[Any]:
    """Labels of target texts that are known, spelled like the source's, and None for the others; empty for none."""
    few = [] if target_labels is None else read_column(target_labels, "target_labels", "labels")
    if target_labels is not None and len(few) != n_texts:
        raise ValueError(
            f"target_labels has {len(few)} entries and target_texts {n_texts}: give None for texts without a label."
        )
    few = spelled_like(few, labels, "target_labels")
    check_several(labels + few, "source_labels")
    known = {str(label) for label in labels}
    for label in few:
        if isinstance(label, Real) and label == -1 and str(label) not in known:  # as scikit-learn marks them
            raise ValueError(
                f"target_labels holds {label}, and -1 is no source label: give None for texts without a label."
            )
        if label is not None and type(label) is not type(labels[0]):
            raise TypeError(
                f"target_labels holds {label!r}, and source_labels {labels[0]!r}: use labels of one type for all."
            )
    for label in sorted({str(label) for label in few if label is not None} - known):
        if (meant := nearest_label(label, known)) is not None:
            warn(
                f"target_labels holds {label!r}, which no source document has: it becomes a class of its own. Did you "
                f"mean {meant!r}?",
                SimilarLabelWarning,
            )
    return few


def _check_partitioned(estimator: TransferClassifier, client: Any, folder: Any, given: tuple[Any, ...]) -> None:
    """What a target that lies with the workers of a cluster needs, and what cannot be had with it."""
    what = "target_texts is a Dask collection"
    if client is None:
        raise ValueError(f"{what}: give client=, a dask.distributed.Client.")
    if folder is None:
        raise ValueError(f"{what}: give folder=, which its workers can open, for the rows that they make of it.")
    for name, value in zip(("vectorizer", "encoder", "target_labels"), given, strict=True):
        if value is not None and not (isinstance(value, str) and value == "auto"):
            raise ValueError(f"{what}, and {name} needs all texts in one place: leave it out.")
    if estimator.get_params().get("novelty"):
        raise ValueError(f"{what}, and novelty=True needs all texts in one place: leave it out.")


@contextmanager
def _told(estimator: TransferClassifier, *given: Any) -> Iterator[dict[str, Any]]:
    """An estimator that is told what `transfer` was told, until the call ends: who gives it again says it anew."""
    before = estimator.get_params(deep=False)
    try:
        _tell(estimator, *given)
        yield before
    finally:
        estimator.set_params(**before)


def _tell(
    estimator: TransferClassifier,
    random_state: Any,
    target_prior: Any,
    max_time: float | None,
    verbose: int,
    reads_texts: bool,
) -> None:
    """What `transfer` was told, to a method that listens. Where it `reads_texts`, it knows best what stands in rows."""
    seed(estimator, random_state)
    if isinstance(estimator, Auto) and reads_texts:
        estimator.set_params(n_embedding_features=0)
    if target_prior is not None:
        _set_prior(estimator, target_prior)
    if max_time is not None:
        limit_time(estimator, max_time)
    if verbose and "verbose" in estimator.get_params():
        estimator.set_params(verbose=verbose)


def _untimed(estimator: TransferClassifier, before: dict[str, Any]) -> TransferClassifier:
    """The same, without the clock that `max_time` has put there, which no file could hold."""
    return estimator.set_params(**{name: value for name, value in before.items() if name == "callback"})


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
        X = as_rows(vectorizer.fit_transform(source + target))
    except ValueError as error:
        # scikit-learn says so in words alone; a test sees if these change
        said = any(words in str(error) for words in ("no terms remain", "empty vocabulary", "max_df corresponds to"))
        if not said and not isinstance(error, NoWordError):
            raise
        raise ValueError(
            "No word stands in as many texts as the vectorizer asks for: give more texts, or choose another preset."
        ) from error
    rows = X[len(source) :] if sp.issparse(X) or isinstance(X, np.ndarray) else None
    if rows is not None and not (rows.nnz if sp.issparse(rows) else rows.any()):
        raise ValueError(NO_WORD)
    return X


def _read_domains(source_domains: Iterable[DomainName] | None, n_texts: int) -> list[DomainName]:
    if source_domains is None:
        return [SOURCE] * n_texts
    names = read_names(read_column(source_domains, "source_domains", "names"), "source_domains")
    if len(names) != n_texts:
        raise ValueError(
            f"source_domains has {len(names)} entries and source_texts {n_texts}: give one name for each text."
        )
    if TARGET in names:
        raise ValueError(f"source_domains holds {TARGET!r}, which is what the target is called: choose another name.")
    return names


def _read_vectorizer(vectorizer: Any, preset: str | None, encoder: Any, takes_both: bool, *texts: list[str]) -> Any:
    """`takes_both`: whether the method reads embeddings beside words. `texts` are the source's and the target's."""
    if isinstance(vectorizer, type):
        raise TypeError(f"vectorizer is the class {vectorizer.__name__}: give an object, {vectorizer.__name__}().")
    if vectorizer is not None and not (hasattr(vectorizer, "fit_transform") and hasattr(vectorizer, "transform")):
        raise TypeError(
            f"vectorizer is {vectorizer!r:.100}, which has no fit_transform and transform: give one of scikit-learn's, "
            "or a preset by its name with preset=."
        )
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


def seed(estimator: TransferClassifier, random_state: Any) -> TransferClassifier:
    """The same estimator, which starts from this unless it has its own, or none."""
    has_none = estimator.get_params().get("random_state", 0) is None
    return estimator.set_params(random_state=random_state) if has_none else estimator


def read_method(method: str | TransferClassifier) -> TransferClassifier:
    """An estimator by the name of its method, or a copy of the one given: itself, if it keeps what fits make."""
    if isinstance(method, TransferClassifier):
        return method if method.get_params().get("warm_start") else _copied(method)
    by_name = {name.lower(): kind for name, kind in {"Auto": Auto, **METHODS}.items()}
    if not isinstance(method, str) or method.lower() not in by_name:
        meant = nearest_label(method, ["Auto", *METHODS]) if isinstance(method, str) else None
        ask = f" (did you mean {meant!r}?)" if meant else ""
        raise ValueError(
            f"method is {method!r}{ask}: choose from Auto, {', '.join(METHODS)}, or give an estimator of isthmus."
        )
    found: TransferClassifier = by_name[method.lower()]()
    return found


def _copied(method: TransferClassifier) -> TransferClassifier:
    """A clone that calls the very same `callback`: what that gathers is for who gave it."""
    if (callback := method.get_params().get("callback")) is None:
        return clone(method)
    silent = copy(method).set_params(callback=None)
    return clone(silent).set_params(callback=callback)
