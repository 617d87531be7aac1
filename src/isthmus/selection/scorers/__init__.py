"""Scorers that read no target label, for scikit-learn's searches.

Each is called as ``scorer(estimator, X, y, sample_domain=...)`` on rows of the source that the estimator was not fitted
to and on rows of the target; larger is better. In a search, scikit-learn's metadata routing brings `sample_domain` to
the scorer, and `sample_labeled`, where labels of the source are hidden; `isthmus.source_folds(...,
target_in_test=True)` puts the rows of the target into every test fold.

>>> import numpy as np, sklearn, isthmus
>>> from sklearn.model_selection import GridSearchCV
>>> from isthmus.selection.scorers import ReverseValidation
>>> rng = np.random.default_rng(0)
>>> y = np.tile(["sport", "politics"], 60)
>>> domain = np.repeat(["papers", "blogs"], 60)
>>> X = rng.poisson(np.where((np.arange(20) % 2 == 0) == (y == "sport")[:, None], 0.8, 0.2)).astype(float)
>>> X[domain == "blogs", :8] = 0  # words that blogs do not use
>>> X[X.sum(axis=1) == 0, -1] = 1
>>> y[domain == "blogs"] = "?"
>>> with sklearn.config_context(enable_metadata_routing=True):
...     search = GridSearchCV(
...         isthmus.LR(),
...         {"C": [1e-6, 1.0]},
...         scoring=ReverseValidation(),
...         cv=isthmus.source_folds(y, domain, "blogs", n_splits=3, target_in_test=True),
...     ).fit(X, y, sample_domain=domain, target_domain="blogs")
>>> search.best_params_
{'C': 1.0}
"""

from isthmus.selection.scorers.agreement import Agreement
from isthmus.selection.scorers.base import Holdout, TransferScorer
from isthmus.selection.scorers.importance import DeepEmbeddedValidation, ImportanceWeightedValidation
from isthmus.selection.scorers.information import InformationMaximization
from isthmus.selection.scorers.neighborhood import SoftNeighborhoodDensity
from isthmus.selection.scorers.reverse import ReverseValidation
from isthmus.selection.scorers.thresholded import AverageThresholdedConfidence

SCORERS: dict[str, type[TransferScorer]] = {
    scorer.__name__: scorer
    for scorer in (
        ReverseValidation,
        ImportanceWeightedValidation,
        DeepEmbeddedValidation,
        SoftNeighborhoodDensity,
        InformationMaximization,
        AverageThresholdedConfidence,
        Agreement,
    )
}
"""Every scorer by its name."""

__all__ = [
    "SCORERS",
    "Agreement",
    "AverageThresholdedConfidence",
    "DeepEmbeddedValidation",
    "Holdout",
    "ImportanceWeightedValidation",
    "InformationMaximization",
    "ReverseValidation",
    "SoftNeighborhoodDensity",
    "TransferScorer",
]
