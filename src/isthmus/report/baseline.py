"""What labels would be without transfer: logistic regression on the source alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.auto.warnings import HARM
from isthmus.exceptions import EmptyDocumentWarning, SmallClassWarning, silenced
from isthmus.methods import LR
from isthmus.report.material import Material


@dataclass(frozen=True)
class Baseline:
    """Labels without transfer, beside those that were found."""

    n_other: int
    """Documents that they label otherwise."""
    estimated: float
    """The share of them that is right, if the probabilities found are."""
    measured: float | None
    """The share that is right, of the documents whose truth is known and that are not set aside."""
    gain: float
    """What transfer adds to it: measured, or else estimated."""


def baseline(material: Material) -> Baseline | None:
    """None where there is nothing to compare: no transfer took place, or all labels were given."""
    given_up = HARM in [caution.kind for caution in getattr(material.result.estimator, "warnings_", ())]
    if material.method == "LR" or given_up or material.learned.all():
        return None
    classes = material.source_numbers
    with silenced(EmptyDocumentWarning, SmallClassWarning):  # the fit has warned of these documents
        found = LR().fit(material.X_source, classes).predict(material.X_target)
    open_ones = ~material.learned
    probabilities = np.asarray(material.result.probabilities)
    rows = np.flatnonzero(open_ones)
    estimated = float(probabilities[rows, found[rows]].mean())
    here = float(probabilities[rows, material.numbers[rows]].mean())
    measured, known = None, material.known & ~material.set_aside
    if known.any():
        assert material.truth is not None
        measured = float((found == material.truth)[known].mean())
        return Baseline(
            int((found != material.numbers)[open_ones].sum()),
            estimated,
            measured,
            float((material.numbers == material.truth)[known].mean()) - measured,
        )
    return Baseline(int((found != material.numbers)[open_ones].sum()), estimated, None, here - estimated)
