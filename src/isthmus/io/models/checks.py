"""Does what a file says fit together? As far as that is cheap to find out."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline

from isthmus._result import Result
from isthmus.core.estimator import TransferClassifier
from isthmus.core.solution import Solution
from isthmus.drift import TargetProfile
from isthmus.exceptions import ModelFileError, unheard
from isthmus.text import SignSplit

FITTED = (
    "classes_",
    "class_prior_",
    "domains_",
    "target_domains_",
    "label_distributions_",
    "transduction_",
    "n_features_in_",
    "solution_",
)
"""What every fitted method has."""

TRIAL_WORDS = 64
TRIAL_LETTERS = 200
"""Of a text: runs of letters, if a forged vectorizer asks for all of them, are as many as its square."""
MAX_RUN = 16
"""Words or letters that are counted together: a text has as many runs of each length as it has letters."""
MAX_ODD_NAMES = 2_000
"""Names that are not strings: of numbers one can choose so many with the same hash that a set takes hours to make."""
MAX_PATTERN = 200
MAX_THREADS = 1024
MAX_JOBS = 64

_LETTER = r"(?:\\[wWdDsS]|\\[^\w\s]|\[\^?(?:[^\\\[\]]|\\[wWdDsS]|\\[^\w\s])+\]|[^\\^$.|?*+()\[\]{}])"
_REPEATED = rf"{_LETTER}(?:[*+]|\{{\d+(?:,\d*)?\}})"
WORD_PATTERN = re.compile(rf"(?:\(\?u\))?(\\b)?(?:\\b|{_LETTER}\??)*(?:{_REPEATED})?(?(1)(?:\\b)?)")
"""Of a token_pattern: letters, kinds and classes of letters, and edges of words. The last may be repeated; an edge may
follow if the pattern begins with one. So there is little to go back to and try again, whatever the text."""
MAX_OPTIONAL = 3
"""Question marks: each doubles the ways to read a word."""


def require(condition: Any, otherwise: str, kind: type[ModelFileError] = ModelFileError) -> None:
    """Refuse the file, with the reason, unless the condition holds."""
    if not condition:
        raise kind(otherwise)


def check(value: Any) -> None:
    """An instance of a known class, just put together."""
    jobs = vars(value).get("n_jobs")
    few = jobs is None or (type(jobs) is int and abs(jobs) <= MAX_JOBS)
    require(few, f"its {type(value).__name__} asks for {jobs!r:.60} jobs")
    if isinstance(value, TransferClassifier) and "classes_" in vars(value):  # not a parameter, which is unfitted
        _check_method(value)
    elif isinstance(value, Result):
        _check_result(value)
    elif isinstance(value, Pipeline):
        _check_pipeline(value)
    elif isinstance(value, CountVectorizer | HashingVectorizer):
        _check_vocabulary(value)
    elif isinstance(value, KMeans):
        _check_centers(value)
    elif "coef_" in vars(value):
        fits = np.shape(value.coef_)[-1:] == (vars(value).get("n_features_in_"),)
        require(fits, f"the coefficients of its {type(value).__name__} do not fit the number of features")
    elif "idf_" in vars(value):  # of which a trial needs a few
        fits = np.shape(value.idf_) == (vars(value).get("n_features_in_"),)
        require(fits, f"the weights of its {type(value).__name__} do not fit the number of features")


def check_model(model: Any, sizes: set[int], encoder: Any) -> None:
    """A whole model; `sizes` holds the lengths of all its arrays.

    At the end it is asked for predictions, for a row and for a text: whatever a model needs and the file does not bring
    shows there. An `encoder` is not asked to read a text, which may take long.
    """
    estimator = method_of(model)
    require(estimator is not None, f"it holds a {type(model).__name__}, which is no model of isthmus")
    name = type(estimator).__name__
    require("classes_" in vars(estimator), f"its {name} lacks the attribute 'classes_'")
    # No method does without an array as long as there are words. So a number of words that would not fit into memory
    # does not fit the file either.
    n_features = estimator.n_features_in_
    require(n_features in sizes, f"its {name} expects {n_features} features, and no array has as many")
    if isinstance(model, Result):
        same = isinstance(model.classes, np.ndarray) and model.classes.tolist() == estimator.classes_.tolist()
        require(same, f"the classes of its result are not those of its {name}")
        if model.profile is not None:
            _check_profile(model.profile, estimator)
    words = np.unique(np.linspace(0, n_features - 1, TRIAL_WORDS).astype(np.int32))
    rows = [sp.csr_array((np.ones(len(words)), words, [0, len(words)]), shape=(1, n_features))]
    vectorizer = _vectorizer_of(model)
    if vectorizer is not None:
        if encoder is None:
            with _trial("its vectorizer does not read texts"):
                rows.append(vectorizer.transform([_text_for(vectorizer)]))
                width = rows[-1].shape[1]
        else:
            width = _width(vectorizer, n_features)
        require(width == n_features, f"its vectorizer makes {width} features, and its {name} expects {n_features}")
    for row in rows:
        with _trial(f"its {name} does not predict"):
            shape = copy.copy(estimator).predict_proba(row).shape
        require(shape == (1, len(estimator.classes_)), f"its {name} predicts another number of classes than it has")


@contextmanager
def _trial(failure: str) -> Iterator[None]:
    """Whatever a forged model does in here is a reason to refuse its file."""
    try:
        with unheard(), parallel_config("sequential"):  # no processes for one row
            yield
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0]
        raise ModelFileError(f"{failure} ({type(error).__name__}: {reason:.200})") from error


def _text_for(vectorizer: Any) -> str:
    """Words that it knows, if it knows any, and others; twice, so that some are to be added up."""
    known = list(getattr(_reader(vectorizer), "vocabulary_", ()))
    return " ".join(["some", "words", *2 * known[:: 1 + 2 * len(known) // TRIAL_WORDS]])[:TRIAL_LETTERS]


def _vectorizer_of(model: Any) -> Any:
    """What makes rows of texts, before a model's method sees them; None if nothing does."""
    if isinstance(model, Result):
        return model.vectorizer
    before = model[:-1] if isinstance(model, Pipeline) else None
    return before if isinstance(_reader(before), CountVectorizer | HashingVectorizer) else None


def _reader(vectorizer: Any) -> Any:
    """The part of it that is given the texts; the first, if several are."""
    while isinstance(vectorizer, Pipeline | FeatureUnion):
        parts = vectorizer.steps if isinstance(vectorizer, Pipeline) else vectorizer.transformer_list
        vectorizer = parts[0][1] if parts else None
    return vectorizer


def method_of(model: Any) -> Any:
    """The method in an estimator, a result or a pipeline; None if there is none."""
    if isinstance(model, Result):
        model = model.estimator
    elif isinstance(model, Pipeline):
        model = model.steps[-1][1] if model.steps else None
    return model if isinstance(model, TransferClassifier) else None


def _check_method(value: TransferClassifier) -> None:
    name = type(value).__name__
    for attribute in FITTED:
        require(attribute in vars(value), f"its {name} lacks the attribute {attribute!r}")
    require(isinstance(value.solution_, Solution), f"the solution of its {name} is malformed")
    classes, rows = np.shape(value.classes_), np.shape(value.transduction_)
    require(len(classes) == 1 and classes[0] > 1, f"its {name} has not at least two classes")
    plain = all(isinstance(label, str | bytes | int | float | np.generic) for label in value.classes_)
    require(plain, f"a class of its {name} is neither a word nor a number")
    shapes = {"class_prior_": classes, "transduction_": rows[:1], "label_distributions_": rows[:1] + classes}
    n_features = value.n_features_in_
    require(type(n_features) is int and n_features > 0, f"its {name} expects {n_features!r:.60} features")
    if hasattr(value, "feature_names_in_"):
        shapes["feature_names_in_"] = (n_features,)
    for attribute, shape in shapes.items():
        found = getattr(value, attribute)
        fits = isinstance(found, np.ndarray) and found.shape == shape
        require(fits, f"{attribute} of its {name} does not have the shape {shape}")
    require(isinstance(value.domains_, list) and value.domains_, f"its {name} knows no domains")
    require(_few_odd(value.domains_), f"its {name} has more than {MAX_ODD_NAMES} domains whose names are not strings")
    targets = value.target_domains_
    few = isinstance(targets, list) and len(targets) <= len(value.domains_) and _few_odd(targets)
    require(few and set(targets) <= set(value.domains_), f"a target of its {name} is not one of its domains")


def _few_odd(names: list[Any]) -> bool:
    return sum(not isinstance(name, str) for name in names) <= MAX_ODD_NAMES


def _check_result(value: Result) -> None:
    require(isinstance(value.estimator, TransferClassifier), "its result has no estimator")
    require(hasattr(value.vectorizer, "transform"), "its result has no vectorizer")
    n = np.shape(value.labels)
    shape = (*n, *np.shape(value.classes))
    require(len(n) == 1 and np.shape(value.probabilities) == shape, "labels and probabilities of its result do not fit")
    given = value.target_labels
    require(isinstance(given, tuple | list) and len(given) in (0, *n), "known labels of its result do not fit")


def _check_profile(profile: TargetProfile, estimator: TransferClassifier) -> None:
    """Beside its model; that its numbers are such was found out before."""
    known = profile.numbers.size and profile.numbers.max() < len(estimator.classes_)
    require(known, "the classes of its profile are not those of its result")
    require(len(profile.center) == estimator.n_features_in_, "its profile has another number of features")


def _check_pipeline(value: Pipeline) -> None:
    steps = vars(value).get("steps")
    paired = isinstance(steps, list) and all(isinstance(step, tuple) and len(step) == 2 for step in steps)
    require(paired, "a pipeline in it has no steps")
    # A folder to keep results in, as pickles that a fit would read.
    require(vars(value).get("memory") is None, "a pipeline in it has a memory")


def _check_vocabulary(value: Any) -> None:
    """Numbers of words become column numbers of a matrix, unchecked."""
    require(vars(value).get("input") == "content", "its vectorizer reads files instead of texts")
    pattern = vars(value).get("token_pattern")
    require(
        _ends_soon(pattern),
        f"its vectorizer cuts words by {pattern!r:.60}, which might take for ever: a model file may hold patterns with "
        r"one repetition, at their end, as in \b\w\w+\b; give any other to isthmus.transfer, in Python",
    )
    runs = vars(value).get("ngram_range")
    plain = isinstance(runs, tuple) and len(runs) == 2 and all(isinstance(n, int | np.integer) for n in runs)
    require(plain and 0 <= min(runs) <= max(runs) <= MAX_RUN, f"its vectorizer counts runs of {runs!r:.60} words")
    letters = vars(value).get("letters", 0)
    plain = type(letters) is int and 0 <= letters <= MAX_RUN
    require(plain, f"its vectorizer counts runs of {letters!r:.60} letters")
    for listed in ("stop_words", "vocabulary"):
        words = vars(value).get(listed)
        several = isinstance(words, list | tuple | set | frozenset | dict)
        plain = all(isinstance(word, str) for word in words) if several else words is None or isinstance(words, str)
        require(plain, f"{listed} of its vectorizer are not strings")
    if "vocabulary_" not in vars(value):
        return
    words = value.vocabulary_
    plain = isinstance(words, dict) and all(isinstance(number, int | np.integer) for number in words.values())
    require(plain, "the vocabulary of its vectorizer is malformed")
    require(sorted(words.values()) == list(range(len(words))), "the vocabulary of its vectorizer has gaps")


def _ends_soon(pattern: Any) -> bool:
    """Regular expressions can take for ever: only those are taken that are known not to."""
    if not isinstance(pattern, str):
        return pattern is None
    few = len(pattern) <= MAX_PATTERN and pattern.count("?") <= MAX_OPTIONAL
    return few and WORD_PATTERN.fullmatch(pattern) is not None


def _check_centers(value: KMeans) -> None:
    """Compiled code, which takes these on trust."""
    if "cluster_centers_" in vars(value):
        centers = (value.n_clusters, vars(value).get("n_features_in_"))
        require(np.shape(value.cluster_centers_) == centers, "the centers of its KMeans do not fit")
        threads = vars(value).get("_n_threads")
        require(type(threads) is int and 0 < threads <= MAX_THREADS, f"its KMeans asks for {threads!r:.60} threads")


def _width(vectorizer: Any, otherwise: int) -> int:
    """How many features it makes out of an encoder's, where that can be read off."""
    last = vectorizer.steps[-1][1] if isinstance(vectorizer, Pipeline) and vectorizer.steps else vectorizer
    return 2 * int(last.n_features_in_) if isinstance(last, SignSplit) else otherwise
