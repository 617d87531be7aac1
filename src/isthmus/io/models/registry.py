"""Which classes a model file may hold, and how their instances are taken apart and put together.

A file names classes by the short names of `CLASSES`, whatever module they stand in; it never brings them. A name that
is not in that list is an error, and nothing is imported for it. Instances are made without calling anything of their
class: `object.__new__`, then their attributes. So loading runs no constructor, no `__setstate__`, no property, and
nothing that stands in the file.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from isthmus.core.estimator import TransferClassifier
from isthmus.core.solution import Solution, published
from isthmus.exceptions import ModelFileError

METHODS = "isthmus.methods"
FACTORS = "isthmus.solvers.factorization"
CLASSES = {
    "ASVM": f"{METHODS}.few_labels.asvm",
    "ASVMSolution": f"{METHODS}.few_labels.asvm",
    "AllLinks": "isthmus.solvers.spectral.clamped",
    "Auto": "isthmus.auto.auto",
    "CCI": f"{METHODS}.factorization.cci",
    "CCISolution": f"{METHODS}.factorization.cci",
    "CDSC": f"{METHODS}.spectral.cdsc",
    "CDSVM": f"{METHODS}.few_labels.cdsvm",
    "CDSVMSolution": f"{METHODS}.few_labels.cdsvm",
    "Caution": "isthmus.auto.warnings",
    "CoCC": f"{METHODS}.clustering.cocc",
    "CoCCSolution": f"{METHODS}.clustering.cocc",
    "ColumnsSumToOne": f"{FACTORS}.constraints",
    "Component": f"{FACTORS}.terms.reconstruction",
    "DCI": f"{METHODS}.features.dci",
    "DKT": f"{METHODS}.factorization.dkt",
    "DTL": f"{METHODS}.factorization.dtl",
    "DTLM": f"{METHODS}.factorization.dtlm",
    "DTLMSolution": f"{METHODS}.factorization._base",
    "DTMKL": f"{METHODS}.few_labels.dtmkl",
    "DTMKLSolution": f"{METHODS}.few_labels.dtmkl",
    "DenoisingMap": "isthmus.solvers.linear.denoising",
    "Diagnostics": "isthmus.auto.diagnostics",
    "DocumentBlock": f"{METHODS}.spectral.document_blocks",
    "DomTransNMF": f"{METHODS}.factorization.domtrans_nmf",
    "DomTransNMFSolution": f"{METHODS}.factorization.domtrans_nmf",
    "Embedding": "isthmus.solvers.spectral.embedding",
    "EmbeddingSolution": f"{METHODS}.spectral._base",
    "FirstColumnsSolution": "isthmus.auto.ensemble",
    "EnsembleSolution": "isthmus.auto.ensemble",
    "EqualFactors": f"{METHODS}.factorization.recipes",
    "EqualMeans": f"{METHODS}.factorization.recipes",
    "Estimate": "isthmus.auto.estimate",
    "FR": f"{METHODS}.few_labels.fr",
    "Factorized": f"{METHODS}.factorization.factorized",
    "Frozen": f"{FACTORS}.constraints",
    "GCMF": f"{METHODS}.factorization.gcmf",
    "GrowingGraph": "isthmus.solvers.spectral.growing",
    "GrowingSolution": f"{METHODS}.spectral.incremental",
    "IncrementalCDSC": f"{METHODS}.spectral.incremental",
    "KDE": f"{METHODS}.weighting.kde",
    "KDESolution": f"{METHODS}.weighting.kde",
    "KMeans": f"{METHODS}.clustering.kmeans",
    "KMeansSolution": f"{METHODS}.clustering.kmeans",
    "KernelFeatures": "isthmus.solvers.linear.kernels",
    "LR": f"{METHODS}.baselines.lr",
    "LSA": f"{METHODS}.features.lsa",
    "LabelRegression": f"{METHODS}.factorization.recipes",
    "Layer": "isthmus.solvers.linear.denoising",
    "Leaderboard": "isthmus.auto.leaderboard",
    "LinearSolution": "isthmus.core.solution",
    "LogTfidf": "isthmus.text.vectorizer",
    "MSDA": f"{METHODS}.features.msda",
    "MTrick": f"{METHODS}.factorization.mtrick",
    "Machines": "isthmus.solvers.linear.svm",
    "MachinesSolution": f"{METHODS}.few_labels._machines",
    "MappedSolution": "isthmus.core.solution",
    "MarginSolution": "isthmus.core.solution",
    "MixtureSolution": f"{METHODS}.self_labeling.naive_bayes_em",
    "NMTF": f"{METHODS}.factorization.nmtf",
    "NaiveBayesEM": f"{METHODS}.self_labeling.naive_bayes_em",
    "NearLabels": f"{METHODS}.factorization.recipes",
    "NeighborLinks": "isthmus.solvers.spectral.clamped",
    "Neighbors": f"{METHODS}.factorization.recipes",
    "NonNegative": f"{FACTORS}.constraints",
    "Orthogonal": f"{METHODS}.factorization.recipes",
    "PivotMap": "isthmus.solvers.linear.pivots",
    "PlaceClassifier": f"{METHODS}.spectral._base",
    "Placed": "isthmus.solvers.spectral.clamped",
    "Result": "isthmus._result",
    "RowsSumToOne": f"{FACTORS}.constraints",
    "SC": f"{METHODS}.spectral.sc",
    "SGT": f"{METHODS}.spectral.sgt",
    "SGTSolution": f"{METHODS}.spectral.sgt",
    "SVM": f"{METHODS}.baselines.svm",
    "SelfTraining": f"{METHODS}.self_labeling.self_training",
    "SelfTrainingSolution": f"{METHODS}.self_labeling.self_training",
    "Shrinkage": f"{METHODS}.factorization.recipes",
    "SignSplit": "isthmus.text.sign_split",
    "StemCounts": "isthmus.text.stems",
    "TCL": f"{METHODS}.factorization.tcl",
    "TSVM": f"{METHODS}.self_labeling.tsvm",
    "TSVMSolution": f"{METHODS}.self_labeling.tsvm",
    "TextEncoder": "isthmus.text.encoder",
    "TopicSolution": f"{METHODS}.factorization._base",
    "TargetProfile": "isthmus.drift.profile",
    "TransductiveLR": f"{METHODS}.self_labeling.transductive_lr",
    "TransductiveLRSolution": f"{METHODS}.self_labeling.transductive_lr",
    "UpdatedSolution": "isthmus.auto.update",
    "UnicodeCounts": "isthmus.text.unicode_counts",
    "WordMap": "isthmus.solvers.linear.word_map",
    "WordSums": "isthmus.solvers.spectral.growing",
    "WordsAndEmbeddings": "isthmus.text.words_and_embeddings",
    "sklearn.BernoulliNB": "sklearn.naive_bayes",
    "sklearn.ComplementNB": "sklearn.naive_bayes",
    "sklearn.CountVectorizer": "sklearn.feature_extraction.text",
    "sklearn.FeatureUnion": "sklearn.pipeline",
    "sklearn.GaussianNB": "sklearn.naive_bayes",
    "sklearn.HashingVectorizer": "sklearn.feature_extraction.text",
    "sklearn.KMeans": "sklearn.cluster",
    "sklearn.LabelBinarizer": "sklearn.preprocessing",
    "sklearn.LabelEncoder": "sklearn.preprocessing",
    "sklearn.LinearSVC": "sklearn.svm",
    "sklearn.LogisticRegression": "sklearn.linear_model",
    "sklearn.MaxAbsScaler": "sklearn.preprocessing",
    "sklearn.MultinomialNB": "sklearn.naive_bayes",
    "sklearn.NearestCentroid": "sklearn.neighbors",
    "sklearn.Normalizer": "sklearn.preprocessing",
    "sklearn.Nystroem": "sklearn.kernel_approximation",
    "sklearn.PCA": "sklearn.decomposition",
    "sklearn.Pipeline": "sklearn.pipeline",
    "sklearn.RidgeClassifier": "sklearn.linear_model",
    "sklearn.StandardScaler": "sklearn.preprocessing",
    "sklearn.TfidfTransformer": "sklearn.feature_extraction.text",
    "sklearn.TfidfVectorizer": "sklearn.feature_extraction.text",
    "sklearn.TruncatedSVD": "sklearn.decomposition",
}
"""Where each class stands, by the name that files have for it. Names never change; modules may.

Of scikit-learn's, only classes that predict with numpy and scipy, which check shapes, or that
`isthmus.io.models.checks` checks. Compiled code that trusts its arrays, such as trees and libsvm, could be led out of
bounds by a forged file."""

NOT_SAVED = frozenset({"_metadata_request", "_stop_words_id"})
"""What was asked for with `set_fit_request` and the like holds the estimator itself; the other is an address in memory.
Estimators do without both."""


@cache
def class_named(name: str) -> type[Any]:
    """The class that files have this name for; a KeyError for any other name."""
    kind: type[Any] = getattr(import_module(CLASSES[name]), name.removeprefix("sklearn."))
    return kind


@cache
def names_of_classes() -> dict[type[Any], str]:
    """The other way round."""
    return {class_named(name): name for name in CLASSES}


def attributes_of(value: Any) -> dict[str, Any]:
    """What to save of an instance: a dataclass's fields, or all attributes of an estimator that cannot be computed.

    What an estimator shows of its solution is saved with that, and what a solution found for the documents of the fit
    with the estimator. A `callback` is a function of the session that it was given in: None takes its place.
    """
    if is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in fields(value)}
        return {**found, "distributions": None} if isinstance(value, Solution) and "distributions" in found else found
    solution = vars(value).get("solution_")
    shown = published(solution) if isinstance(solution, Solution) else {}
    kept = {
        name: content
        for name, content in vars(value).items()
        if name not in NOT_SAVED
        and name not in shown
        and not isinstance(inspect.getattr_static(type(value), name, None), cached_property)
    }
    return {**kept, "callback": None} if "callback" in kept else kept


def put_together(kind: type[Any], attributes: dict[str, Any]) -> Any:
    """An instance with these attributes, and those that follow from them.

    A parameter that a file does not have came after it, and has its default.
    """
    attributes = attributes | {name: own for name, own in _defaults(kind).items() if name not in attributes}
    _check_names(kind, attributes)
    value = object.__new__(kind)
    shown: dict[str, Any] = {}
    if issubclass(kind, TransferClassifier) and isinstance(attributes.get("solution_"), Solution):
        shown = published(attributes["solution_"])
    for name, content in {**attributes, **shown}.items():
        object.__setattr__(value, name, content)  # frozen dataclasses too
    return value


def _defaults(kind: type[Any]) -> dict[str, Any]:
    """Of the parameters of our own estimators. scikit-learn does without those that an older file lacks."""
    if is_dataclass(kind) or not (kind.__module__.startswith("isthmus.") and issubclass(kind, BaseEstimator)):
        return {}
    if kind.__init__ is object.__init__:
        return {}
    parameters = inspect.signature(kind.__init__).parameters
    return {name: own.default for name, own in parameters.items() if own.default is not own.empty}


def _is_of_class(kind: type[Any], name: str) -> bool:
    """Whether it is a method, or anything else that the class has for all: such as the ranges of its parameters."""
    missing = object()
    return inspect.getattr_static(kind, name, missing) is not missing


def _check_names(kind: type[Any], attributes: dict[str, Any]) -> None:
    for name in attributes:
        if not name.isidentifier() or name.startswith("__"):
            raise ModelFileError(f"it gives {kind.__name__} an attribute named {name!r}")
    if is_dataclass(kind):
        needed = {field.name for field in fields(kind) if field.default is MISSING}
        unknown = set(attributes) - {field.name for field in fields(kind)}
    else:
        own = kind.__module__.startswith("isthmus.") and issubclass(kind, BaseEstimator)
        needed = set(kind._get_param_names()) if own else set()
        unknown = {name for name in attributes if _is_of_class(kind, name)}
    if unknown:
        raise ModelFileError(f"it gives {kind.__name__} the attribute {min(unknown)!r}, which is not its to give")
    if missing := needed - set(attributes):
        raise ModelFileError(f"its {kind.__name__} lacks the attribute {min(missing)!r}")
