"""Objects of files of schema 1, as they are called and put together now."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import numpy as np
import pytest

from isthmus.io.models.registry import CLASSES, class_named
from isthmus.io.models.schema1 import NAMES, RENAMED, SOLUTIONS, TRANSDUCTIVE, convert


def make(name: str, attributes: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """As plain as can be."""
    return name, attributes


def test_every_old_name_has_a_class() -> None:
    assert set(NAMES.values()) - {"Ensemble"} <= set(CLASSES)
    assert {solution for solution, _ in SOLUTIONS.values()} <= set(CLASSES)
    with pytest.raises(KeyError):
        convert("isthmus.methods.tcl.Other", {}, make)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_has_the_fields_that_its_class_has(name: str) -> None:
    solution, attributes = SOLUTIONS[name]
    declared = class_named(solution).__dataclass_fields__
    later = {field.name for field in declared.values() if field.default is not MISSING}  # which these files lack
    fields = set(declared) - later - ({"distributions"} if solution in TRANSDUCTIVE else set())
    assert {attribute.removesuffix("_") for attribute in attributes} == fields


def test_what_an_estimator_found_becomes_its_solution() -> None:
    old = {"n_rounds": 6, "taken": 0.8, "classes_": "c", "classifier_": "f"}
    name, found = convert("isthmus.methods.self_training.SelfTraining", old, make)
    assert name == "SelfTraining"
    solution = ("SelfTrainingSolution", {"classifier": "f", "feature_map": None, "n_iter": 6, "distributions": None})
    assert found == {"max_iter": 6, "max_fraction": 0.8, "classes_": "c", "solution_": solution}
    assert convert("isthmus.methods.lr.LR", {"C": 1.0}, make) == ("LR", {"C": 1.0})  # never fitted


def test_diagnostics_keep_their_values() -> None:
    old = {"cut": 1, "neighbours": 2, "steadiness": 3, "following": 4, "likeness": 5, "modesty": 6, "held": True}
    new = {"normalized_cut": 1, "neighbor_skill": 2, "class_mean_cosine": 5}  # the others are no longer made
    assert convert("isthmus.choice.evidence.Evidence", old, make) == ("Diagnostics", new)
    known = class_named("Diagnostics").__dataclass_fields__
    assert set(new) <= set(known)
    assert {RENAMED[key] for key in ("cut", "neighbours", "likeness")} == set(new)


def test_places_are_compared_as_they_were() -> None:
    values = np.array([0.0, 0.5])
    old: dict[str, Any] = {"weighting": "eigenvalue", "eigenvalues_": values, "class_points_": "p", "classifier_": None}
    old |= {"_embedding": "e", "_prior": "q", "_sharpness": 2.0}
    _, found = convert("isthmus.methods.cdsc.CDSC", old, make)
    kind, fields = found["solution_"]
    assert (kind, fields["distributions"]) == ("EmbeddingSolution", None)
    place, parts = fields["_places"]
    assert place == "PlaceClassifier"
    assert parts["weights"] == pytest.approx([1, 0.25])
    assert (parts["prior"], parts["sharpness"], parts["class_points"]) == ("q", 2.0, "p")


def test_warnings_of_class_shares_are_warnings_of_the_prior() -> None:
    name, found = convert("isthmus.choice.alarm.Alarm", {"kind": "class shares", "sentence": "s"}, make)
    assert (name, found) == ("Caution", {"kind": "prior", "message": "s"})
