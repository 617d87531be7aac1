"""Parameters of a method by their names: what `--set name=value` says."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any

import typer

from isthmus.exceptions import DataError

if TYPE_CHECKING:
    from isthmus.core.estimator import TransferClassifier

WORDS = {"inf": inf, "true": True, "false": False, "none": None}
RESERVED = {
    "random_state": "use --random-state or --repeats",
    "verbose": "leave it out",
    "callback": "leave it out",
}
"""Parameters that --set does not change, and what to do instead."""


def read_settings(given: Iterable[str] | None) -> dict[str, Any]:
    """`name=value`, each with a value that Python would read as a number, None, True or False; any other is text."""
    settings: dict[str, Any] = {}
    for one in given or ():
        name, equals, value = (part.strip() for part in one.partition("="))
        if not (equals and name and value):
            raise typer.BadParameter(f"{one!r} is not name=value, such as n_topics=20.", param_hint="--set")
        if name in settings:
            raise typer.BadParameter(f"{name} is given twice.", param_hint="--set")
        if name in RESERVED:
            raise typer.BadParameter(f"{name} is not a setting of the method: {RESERVED[name]}.", param_hint="--set")
        settings[name] = _value(value)
    return settings


def apply_settings(estimator: TransferClassifier, settings: Mapping[str, Any]) -> None:
    """Set parameters that the estimator has, to values that it allows; a sentence says what is wrong with others."""
    known = [name for name in estimator.get_params(deep=False) if name not in RESERVED]
    for name in settings:
        if name not in known:
            kind = type(estimator).__name__
            raise DataError(f"--set names {name!r}, which {kind} has not: choose from {', '.join(known)}.")
    estimator.set_params(**settings)
    try:
        estimator.check_parameters()
    except ValueError as error:
        raise DataError(f"--set: {error}") from None


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, (int, float, str)) else text
