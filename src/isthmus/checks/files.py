"""Model files: what is loaded is what was saved."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import SkipTest

from isthmus.checks.trial import Trial, expect, expect_same_bits, expect_same_fit
from isthmus.io.models import load, save
from isthmus.io.models.registry import names_of_classes


def check_save_and_load(trial: Trial) -> None:
    """A loaded model predicts the same bits, and is saved as the same bytes."""
    if type(trial.estimator) not in names_of_classes():
        raise SkipTest(f"model files hold classes of isthmus, and {type(trial.estimator).__name__} is none of them")
    model, toy = trial.plain, trial.toy
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first.isthmus"), Path(folder, "second.isthmus")
        save(model, first)
        loaded = load(first)
        save(loaded, second)
        same = first.read_bytes() == second.read_bytes()
    expect(same, "the same bytes when a loaded model is saved again", "others")
    expect_same_fit(loaded, model, toy.X, "of a loaded model")
    found, expected = (each.predict_proba(toy.X, sample_domain=toy.domain) for each in (loaded, model))
    expect_same_bits(found, expected, "predict_proba of a loaded model with sample_domain")
    same = repr(loaded.get_params()) == repr(model.get_params())
    expect(same, "a loaded model to have the parameters of the saved one", loaded.get_params())
