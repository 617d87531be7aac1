"""What the numbers of each class must be: their axes, and which of them may be negative or missing.

Some of what a model computes with goes to compiled code, which takes it on trust. So a file's numbers are held against
this list first. Classes have the names that files have for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Numbers:
    """An attribute: an array whose axes have names, or one number if it has none.

    An axis has one length throughout an object. "features" is that of the nearest model around it, "classes" and
    "domains" those of its method.
    """

    axes: tuple[str, ...]
    low: float = -inf
    high: float = inf
    kinds: str = "f"
    """Letters of numpy's types. A single float may also be written as an integer."""
    finite: bool = True
    sparse: bool = False
    """Whether it may be a sparse matrix."""
    optional: bool = False
    """Whether it may be None."""
    or_one: bool = False
    """Whether one number may stand for all."""


def _any(*axes: str, optional: bool = False) -> Numbers:
    return Numbers(axes, optional=optional)


def _not_negative(*axes: str, optional: bool = False) -> Numbers:
    return Numbers(axes, low=0, optional=optional)


def _probabilities(*axes: str) -> Numbers:
    return Numbers(axes, low=0, high=1.001)  # in single precision


def _infinite(*axes: str) -> Numbers:
    return Numbers(axes, finite=False)


def _rows(*axes: str) -> Numbers:
    return Numbers(axes, sparse=True)


def _numbers(*axes: str, low: int = 0) -> Numbers:
    return Numbers(axes, low=low, kinds="iu")


COUNT = Numbers((), low=0, kinds="iu")
POSITIVE_COUNT = Numbers((), low=1, kinds="iu")
INTERCEPT = Numbers(("machines",), or_one=True)
OBJECTIVE = _infinite("iterations")

FACTORS = {
    "profiles": _not_negative("domains", "features", "classes"),
    "n_iter": COUNT,
    "objective": OBJECTIVE,
    "_default_profile": _not_negative("features", "classes"),
}
TOPICS = {
    **FACTORS,
    "common_topics": _not_negative("features", "topics", optional=True),
    "domain_topics": _not_negative("domains", "features", "topics"),
    "association": _not_negative("topics", "classes"),
}

EMBEDDED = {"eigenvalues": _any("vectors"), "class_points": _infinite("classes", "coordinates")}

METHOD = {
    "class_prior_": _probabilities("classes"),
    "label_distributions_": _probabilities("documents", "classes"),
}
"""Of every fitted method."""

NUMBERS: dict[str, dict[str, Numbers]] = {
    "AllLinks": {
        "linked": Numbers(("documents",), kinds="b"),
        "_tied": _rows("tied", "features"),
        "_free": _rows("free", "features"),
    },
    "CCISolution": {
        **FACTORS,
        "word_clusters": _not_negative("domains", "features", "clusters"),
        "associations": _not_negative("domains", "clusters", "classes"),
    },
    "CDSVMSolution": {
        "support": _numbers("supports"),
        "support_weights": _not_negative("supports"),
    },
    "CoCCSolution": {
        "word_clusters": _numbers("features"),
        "n_iter": COUNT,
        "objective": OBJECTIVE,
        "_of_source": _any("features", "classes"),
        "_of_target": _any("features", "classes"),
    },
    "DTLMSolution": {**TOPICS, "coefficients": _any("classes", "classes", optional=True)},
    "DTMKLSolution": {
        "kernel_weights": _not_negative("kernels"),
        "discrepancies": _not_negative("kernels"),
        "objective": OBJECTIVE,
        "n_iter": COUNT,
        "_machines": _any("machines", "inputs"),
    },
    "DocumentBlock": {
        "rows": _rows("documents", "features"),
        "positions": _numbers("documents"),
        "coordinates": _any("documents", "basis"),
    },
    "DomTransNMFSolution": {
        "bases": _not_negative("machines", "features", "topics"),
        "coefficients": _any("machines", "topics"),
        "intercepts": _any("machines"),
        "n_iter": COUNT,
        "objective": OBJECTIVE,
    },
    "Embedding": {
        "values": _any("vectors"),
        "tied": _any("tied", "vectors"),
        "free": _any("free", "vectors"),
        "_carried": _any("features", "vectors"),
        "_reach": _any("features"),
        "_reach_of_free": _any("features"),
    },
    "EmbeddingSolution": EMBEDDED,
    "FirstColumnsSolution": {"n_features_in_": POSITIVE_COUNT},
    "EnsembleSolution": {"_sharpness": _not_negative(), "_scale": _not_negative()},
    "GrowingGraph": {
        "nodes": _rows("tied", "features"),
        "sizes": _not_negative("tied"),
        "kinds": _numbers("tied"),
        "tied": _any("tied", "basis"),
        "lam": _not_negative(),
    },
    "GrowingSolution": {**EMBEDDED, "_columns": _numbers("used"), "_known": _numbers("all documents", low=-1)},
    "KDESolution": {"weights": _not_negative("labeled"), "sharpness": _not_negative()},
    "KMeansSolution": {
        "centers": _any("domains", "classes", "features"),
        "_default": _any("classes", "features"),
        "_square": _not_negative(),
    },
    "KernelFeatures": {"_scales": _not_negative("kernels")},
    "Layer": {"weights": _any("inputs", "outputs"), "offset": _any("outputs")},
    "LogTfidf": {"idf_": _not_negative("features")},
    "Machines": {"coef": _any("machines", "features"), "intercept": _any("machines")},
    "MixtureSolution": {
        "word_log_probabilities": _any("features", "classes"),
        "class_log_prior": _infinite("classes"),
        "length": _not_negative(),
        "spread": _not_negative(),
        "n_iter": COUNT,
    },
    "NeighborLinks": {
        "linked": Numbers(("documents",), kinds="b"),
        "_graph": _rows("nodes", "nodes"),
        "_rows": _rows("nodes", "features"),
        "_n_neighbors": POSITIVE_COUNT,
    },
    "PivotMap": {
        "words": Numbers(("features",), kinds="b"),
        "pivots": _numbers("pivots"),
        "source": _any("profiled", "dimensions"),
        "target": _any("profiled", "dimensions"),
        "weight": _any(),
    },
    "PlaceClassifier": {
        "class_points": _infinite("classes", "vectors"),
        "prior": _probabilities("classes"),
        "sharpness": _not_negative(),
        "weights": _any("vectors", optional=True),
    },
    "Placed": {"values": _any("vectors"), "tied": _any("tied", "vectors"), "free": _any("free", "vectors")},
    "Result": {
        "probabilities": _probabilities("documents", "labels"),
        "learned": Numbers(("learned",), low=0, kinds="u", optional=True),
    },
    "SGTSolution": {
        "cuts": _infinite("documents", "classes"),
        "_rows": _rows("documents", "features"),
        "_prior": _probabilities("classes"),
        "_n_neighbors": POSITIVE_COUNT,
    },
    "SelfTrainingSolution": {"n_iter": COUNT},
    "TSVMSolution": {"n_iter": COUNT},
    "TargetProfile": {
        "unknown": _probabilities("described"),
        "closeness": _any("described"),
        "confidence": _probabilities("described"),
        "numbers": _numbers("described"),
        "center": _any("inputs"),
    },
    "TopicSolution": TOPICS,
    "UpdatedSolution": {"_coefficients": _any("features", "classes"), "_sharpness": _not_negative()},
    "WordSums": {
        "reach": _not_negative("features"),
        "carried": _any("features", "basis"),
        "pairs": _any("features", "pairs"),
        "gram": _any("basis", "basis"),
    },
    "WordsAndEmbeddings": {"center_": _any("embedding"), "n_embedding_features_": COUNT},
    "WordMap": {"directions": _any("features", "dimensions"), "weight": _any()},
    "sklearn.BernoulliNB": {
        "feature_log_prob_": _infinite("outputs", "features"),
        "class_log_prior_": _infinite("outputs"),
    },
    "sklearn.ComplementNB": {
        "feature_log_prob_": _infinite("outputs", "features"),
        "class_log_prior_": _infinite("outputs"),
    },
    "sklearn.GaussianNB": {
        "theta_": _any("outputs", "features"),
        "var_": _not_negative("outputs", "features"),
        "class_prior_": _probabilities("outputs"),
    },
    "sklearn.KMeans": {"cluster_centers_": _any("clusters", "features")},
    "sklearn.LinearSVC": {"coef_": _rows("machines", "features"), "intercept_": INTERCEPT},
    "sklearn.LogisticRegression": {"coef_": _rows("machines", "features"), "intercept_": INTERCEPT},
    "sklearn.MaxAbsScaler": {"scale_": _any("features")},
    "sklearn.MultinomialNB": {
        "feature_log_prob_": _infinite("outputs", "features"),
        "class_log_prior_": _infinite("outputs"),
    },
    "sklearn.NearestCentroid": {"centroids_": _any("outputs", "features")},
    "sklearn.Nystroem": {
        "components_": _rows("components", "features"),
        "normalization_": _any("components", "components"),
    },
    "sklearn.PCA": {
        "components_": _any("components", "features"),
        "mean_": _any("features"),
        "explained_variance_": _not_negative("components"),
    },
    "sklearn.RidgeClassifier": {"coef_": _any("machines", "features"), "intercept_": INTERCEPT},
    "sklearn.StandardScaler": {
        "scale_": _any("features", optional=True),
        "mean_": _any("features", optional=True),
    },
    "sklearn.TfidfTransformer": {"idf_": _not_negative("features")},
    "sklearn.TruncatedSVD": {"components_": _any("components", "features")},
}
"""Of scikit-learn's classes, what predictions are made of."""
