"""Which classes a model file may hold, and how their instances are taken apart and put together.

A file names classes; it never brings them. A name that is not in `known_classes` is an error, and nothing is imported
for it. Instances are made without calling anything of their class: `object.__new__`, then their attributes. So loading
runs no constructor, no `__setstate__`, no property, and nothing that stands in the file.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import LinearSVC

from isthmus.exceptions import ModelFileError

OWN = "isthmus."
"""Estimators and dataclasses of this package are known, every one that `import isthmus` brings,"""
NOT_IN_MODELS = ("isthmus.bench", "isthmus.cli", "isthmus.data", "isthmus.files")
"""except those of these modules, which work on files."""

FROM_SKLEARN: tuple[type[Any], ...] = (
    BernoulliNB,
    ComplementNB,
    CountVectorizer,
    FeatureUnion,
    GaussianNB,
    HashingVectorizer,
    Nystroem,
    KMeans,
    LabelBinarizer,
    LabelEncoder,
    LinearSVC,
    LogisticRegression,
    MaxAbsScaler,
    MultinomialNB,
    NearestCentroid,
    Normalizer,
    PCA,
    Pipeline,
    RidgeClassifier,
    StandardScaler,
    TfidfTransformer,
    TfidfVectorizer,
    TruncatedSVD,
)
"""Only classes that predict with numpy and scipy, which check shapes, or that `isthmus.files.checks` checks. Compiled
code that trusts its arrays, such as trees and libsvm, could be led out of bounds by a forged file."""

NOT_SAVED = frozenset({"_metadata_request", "_stop_words_id"})
"""What was asked for with `set_fit_request` and the like holds the estimator itself; the other is an address in memory.
Estimators do without both."""


BY_ATTRIBUTES = ("KernelFeatures", "AllLinks", "NeighbourLinks")
"""Classes of isthmus that are neither, whose attributes say it all."""


def known_classes() -> dict[str, type[Any]]:
    """Classes by the names that files have for them: what isthmus has loaded by itself, and scikit-learn's."""
    found = {f"sklearn.{kind.__name__}": kind for kind in FROM_SKLEARN}
    for name, module in list(sys.modules.items()):
        if not name.startswith(OWN) or name.startswith(NOT_IN_MODELS):
            continue
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == name and _takes_apart(kind):
                found[f"{name}.{kind.__qualname__}"] = kind
    return found


def _takes_apart(kind: type[Any]) -> bool:
    return is_dataclass(kind) or issubclass(kind, BaseEstimator) or kind.__name__ in BY_ATTRIBUTES


def attributes_of(value: Any) -> dict[str, Any]:
    """What to save of an instance: a dataclass's fields, or all attributes of an estimator that cannot be computed.

    A `callback` is a function of the session that it was given in: None takes its place.
    """
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    kept = {
        name: content
        for name, content in vars(value).items()
        if name not in NOT_SAVED and not isinstance(inspect.getattr_static(type(value), name, None), cached_property)
    }
    return {**kept, "callback": None} if "callback" in kept else kept


def put_together(kind: type[Any], attributes: dict[str, Any]) -> Any:
    """An instance with these attributes, and no others."""
    _check_names(kind, attributes)
    value = object.__new__(kind)
    for name, content in attributes.items():
        object.__setattr__(value, name, content)  # frozen dataclasses too
    return value


def _check_names(kind: type[Any], attributes: dict[str, Any]) -> None:
    for name in attributes:
        if not name.isidentifier() or name.startswith("__"):
            raise ModelFileError(f"it gives {kind.__name__} an attribute named {name!r}")
    if is_dataclass(kind):
        needed = {field.name for field in fields(kind) if field.default is MISSING}
        unknown = set(attributes) - {field.name for field in fields(kind)}
    else:
        # scikit-learn adds parameters from version to version, and does without those that an older file lacks.
        own = kind.__module__.startswith(OWN) and issubclass(kind, BaseEstimator)
        needed = set(kind._get_param_names()) if own else set()
        unknown = {name for name in attributes if hasattr(inspect.getattr_static(kind, name, None), "__get__")}
    if unknown:
        raise ModelFileError(f"it gives {kind.__name__} the attribute {min(unknown)!r}, which is not its to give")
    if missing := needed - set(attributes):
        raise ModelFileError(f"its {kind.__name__} lacks the attribute {min(missing)!r}")
