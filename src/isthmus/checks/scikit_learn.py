"""What scikit-learn asks of its estimators."""

from __future__ import annotations

import warnings

import sklearn
from sklearn.base import clone

from isthmus.checks.trial import Trial, expect


def check_scikit_learn(trial: Trial) -> None:
    """scikit-learn's own `check_estimator`, on one domain whose labels are all known."""
    from sklearn.utils.estimator_checks import check_estimator  # it imports pytest, and much else

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(clone(trial.estimator), on_skip=None, on_fail=None)
    for result in results:
        expected = f"scikit-learn's {result['check_name']} to pass"
        error = result["exception"]
        expect(result["status"] != "failed", expected, f"{type(error).__name__}: {error}")


def check_metadata_is_requested(trial: Trial) -> None:
    """With metadata routing switched on, pipelines and searches hand over the domains without being told to."""
    with sklearn.config_context(enable_metadata_routing=True):
        requests = trial.estimator.get_metadata_routing()
    for method, names in {
        "fit": ("sample_domain", "target_domain", "sample_labeled"),
        "predict": ("sample_domain",),
        "predict_proba": ("sample_domain",),
        "score": ("sample_domain",),
    }.items():
        asked = getattr(requests, method).requests
        for name in names:
            expect(asked.get(name) is True, f"{method} to request {name}", asked.get(name))
