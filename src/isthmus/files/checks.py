"""Does what a file says fit together? As far as that is cheap to find out."""

from __future__ import annotations

import copy
import re
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import Pipeline

from isthmus.base import TransferClassifier
from isthmus.exceptions import ModelFileError
from isthmus.text import SignSplit
from isthmus.transfer import Result

FITTED = (
    "classes_",
    "class_prior_",
    "domains_",
    "target_domains_",
    "label_distributions_",
    "transduction_",
    "n_features_in_",
)
"""What every fitted method has."""

TRIAL_WORDS = 64
MAX_THREADS = 1024
MAX_JOBS = 64


def require(condition: Any, otherwise: str) -> None:
    """Refuse the file, with the reason, unless the condition holds."""
    if not condition:
        raise ModelFileError(otherwise)


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
    elif hasattr(value, "coef_") and hasattr(value, "n_features_in_"):
        fits = np.shape(value.coef_)[-1:] == (value.n_features_in_,)
        require(fits, f"the coefficients of its {type(value).__name__} do not fit the number of features")


def check_model(model: Any, sizes: set[int]) -> None:
    """A whole model; `sizes` holds the lengths of all its arrays.

    At the end it is asked for one prediction: whatever a method needs and the file does not bring shows there.
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
        width = _width(model.vectorizer)
        fits = width is None or width == n_features
        require(fits, f"its vectorizer makes {width} features, and its {name} expects {n_features}")
    words = np.unique(np.linspace(0, n_features - 1, TRIAL_WORDS).astype(np.int32))
    row = sp.csr_array((np.ones(len(words)), words, [0, len(words)]), shape=(1, n_features))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape = copy.copy(estimator).predict_proba(row).shape
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0]
        raise ModelFileError(f"its {name} does not predict ({type(error).__name__}: {reason:.200})") from error
    require(shape == (1, len(estimator.classes_)), f"its {name} predicts another number of classes than it has")


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
    classes, rows = np.shape(value.classes_), np.shape(value.transduction_)
    require(len(classes) == 1 and classes[0] > 1, f"its {name} has not at least two classes")
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
    known = isinstance(value.target_domains_, list) and set(value.target_domains_) <= set(value.domains_)
    require(known, f"a target of its {name} is none of its domains")


def _check_result(value: Result) -> None:
    require(isinstance(value.estimator, TransferClassifier), "its result has no estimator")
    require(hasattr(value.vectorizer, "transform"), "its result has no vectorizer")
    n = np.shape(value.labels)
    shape = (*n, *np.shape(value.classes))
    require(len(n) == 1 and np.shape(value.probabilities) == shape, "labels and probabilities of its result do not fit")


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
    require(_ends_soon(pattern), f"its vectorizer cuts words by {pattern!r:.60}, which might take for ever")
    if "vocabulary_" not in vars(value):
        return
    words = value.vocabulary_
    plain = isinstance(words, dict) and all(isinstance(number, int | np.integer) for number in words.values())
    require(plain, "the vocabulary of its vectorizer is none")
    require(sorted(words.values()) == list(range(len(words))), "the vocabulary of its vectorizer has gaps")


def _ends_soon(pattern: Any) -> bool:
    """Groups that repeat what repeats can keep a regular expression busy for ever: no groups, and few repetitions."""
    if not isinstance(pattern, str):
        return pattern is None
    plain = re.sub(r"^\(\?[aiLmsux]+\)|\[[^\]]*\]|\\.", "_", pattern)
    return "(" not in plain and sum(plain.count(sign) for sign in "*+{") <= 2


def _check_centers(value: KMeans) -> None:
    """Compiled code, which takes these on trust."""
    if "cluster_centers_" in vars(value):
        centers = (value.n_clusters, vars(value).get("n_features_in_"))
        require(np.shape(value.cluster_centers_) == centers, "the centres of its KMeans do not fit")
        threads = vars(value).get("_n_threads")
        require(type(threads) is int and 0 < threads <= MAX_THREADS, f"its KMeans asks for {threads!r:.60} threads")


def _width(vectorizer: Any) -> int | None:
    """How many features it makes, where that can be read off."""
    if isinstance(vectorizer, Pipeline):
        return _width(vectorizer.steps[-1][1]) if vectorizer.steps else None
    if isinstance(vectorizer, CountVectorizer):
        return len(getattr(vectorizer, "vocabulary_", ()))
    n_features = getattr(vectorizer, "n_features_in_", None)
    if n_features is None or not isinstance(vectorizer, OneToOneFeatureMixin | SignSplit):
        return None
    return int(n_features) * (2 if isinstance(vectorizer, SignSplit) else 1)
