"""`--set name=value`."""

from __future__ import annotations

from math import inf

import pytest
import typer

import isthmus
from isthmus.cli.settings import apply_settings, read_settings
from isthmus.exceptions import DataError


def test_values_are_read_as_what_they_look_like() -> None:
    given = ["n_topics=20", "lam = 0.5", "beta=inf", "n_eigenvectors=None", "weighting=eigenvalue", "n_neighbors='all'"]
    found = read_settings(given)
    assert found == {
        "n_topics": 20,
        "lam": 0.5,
        "beta": inf,
        "n_eigenvectors": None,
        "weighting": "eigenvalue",
        "n_neighbors": "all",
    }
    assert type(found["n_topics"]) is int
    assert read_settings(None) == {}


@pytest.mark.parametrize("given", [["n_topics"], ["=3"], ["n_topics="], ["a=1", "a=2"], ["random_state=3"]])
def test_what_is_no_setting_is_wrong_usage(given: list[str]) -> None:
    with pytest.raises(typer.BadParameter):
        read_settings(given)


def test_a_method_refuses_what_it_has_not_and_what_is_out_of_range() -> None:
    model = isthmus.CDSC()
    apply_settings(model, {"lam": 0.1, "beta": inf})
    assert model.lam == 0.1
    with pytest.raises(DataError, match=r"--set names 'n_topics', which CDSC has not: choose from beta, classifier"):
        apply_settings(model, {"n_topics": 3})
    with pytest.raises(DataError, match=r"--set: The 'lam' parameter of CDSC must be a float in the range"):
        apply_settings(isthmus.CDSC(), {"lam": -1})
