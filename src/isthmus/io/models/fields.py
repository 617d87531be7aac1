"""Is every part of a model what its class says it is? Asked before anything is computed with it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from isthmus.auto.warnings import Caution
from isthmus.core.estimator import TransferClassifier
from isthmus.core.solution import Solution
from isthmus.io.models.checks import require
from isthmus.io.models.declared import METHOD, NUMBERS, Numbers
from isthmus.io.models.registry import names_of_classes
from isthmus.methods.spectral.document_blocks import DocumentBlock
from isthmus.solvers.linear.svm import Machines

MAX_PARTS, MAX_SOLUTIONS = 256, 32
"""Estimators, maps and solutions in one another: each is a few bytes in a file, and takes its time to predict."""
ASIDE = (Machines, Caution, DocumentBlock)
"""Parts that are many where there are many domains, warnings or documents; a prediction uses one of them at most."""
MAX_CLASSES = 1024
"""Classes or topics, where there are fewer words: some methods multiply each with each."""
PLAIN = (str, bytes, int, float, bool, type(None), np.generic)

Lengths = dict[str, int]
"""Of axes, by name."""


def check_fields(model: Any) -> None:
    """Parameters by the ranges that estimators declare, fields by their types, numbers by `declared`."""
    n_parts = n_solutions = 0
    for value, lengths in _parts(model, {}, set()):
        n_parts += not isinstance(value, ASIDE)
        n_solutions += isinstance(value, Solution)
        few = n_parts <= MAX_PARTS and n_solutions <= MAX_SOLUTIONS
        require(few, f"it holds more than {MAX_PARTS} parts or {MAX_SOLUTIONS} solutions in one another")
        if isinstance(value, BaseEstimator):
            _check_parameters(value)
        if is_dataclass(value):
            _check_types(value)
        name = names_of_classes()[type(value)]
        rules = METHOD if isinstance(value, TransferClassifier) and _is_fitted(value) else NUMBERS.get(name, {})
        for attribute, rule in rules.items():
            if attribute in vars(value):  # what is needed and missing shows in a trial
                _check_numbers(vars(value)[attribute], rule, lengths, f"{attribute} of its {type(value).__name__}")


def _parts(value: Any, around: Lengths, seen: set[int]) -> Iterator[tuple[Any, Lengths]]:
    """All instances of known classes in a value, outer ones first, with what is known of their axes."""
    if isinstance(value, PLAIN) or id(value) in seen:
        return
    seen.add(id(value))
    lengths, inside = around, []
    if type(value) in names_of_classes():
        lengths = {**around, **_own_lengths(value)}
        yield value, dict(lengths)  # each adds axes of its own
        inside = list(vars(value).values())
    elif isinstance(value, dict):
        inside = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inside = list(value)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        inside = value.ravel().tolist()
    for part in inside:
        yield from _parts(part, lengths, seen)


def _own_lengths(value: Any) -> Lengths:
    """What a model says of the axes of all that is in it."""
    width = vars(value).get("n_features_in_")
    own = {"features": int(width)} if isinstance(width, Integral) else {}
    if isinstance(value, TransferClassifier) and _is_fitted(value):
        own |= {"classes": len(value.classes_), "domains": len(value.domains_)}
    return own


def _is_fitted(method: TransferClassifier) -> bool:
    return "classes_" in vars(method)


def _check_parameters(value: BaseEstimator) -> None:
    rules = getattr(value, "_parameter_constraints", {})
    given = {name: content for name, content in vars(value).items() if name in rules}
    try:
        if isinstance(value, TransferClassifier):
            value.check_parameters()
        else:
            validate_parameter_constraints(rules, given, caller_name=type(value).__name__)
    except (InvalidParameterError, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [""])[0]
        require(False, f"a parameter in it is out of range ({reason:.300})")


def _check_types(value: Any) -> None:
    kind: Any = type(value)
    for field, hint in _hints(kind).items():
        content = getattr(value, field)  # or its default, in files that are older than the field
        require(_is_a(content, hint), f"{field} of its {kind.__name__} is a {type(content).__name__}, and must not be")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that an annotation names, as far as that can be told."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_a(value, one) for one in inner)
    if hint in (float, int):
        return isinstance(value, Real if hint is float else Integral) and not isinstance(value, bool | np.bool_)
    if origin in (list, set, frozenset) or (origin is tuple and inner[-1:] == (Ellipsis,)):
        return isinstance(value, origin) and all(_is_a(item, inner[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(all(map(_is_a, item, inner)) for item in value.items())
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_is_a, value, inner))
    kind = origin or hint
    untold = hint is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False)
    return untold or isinstance(value, kind)


def _check_numbers(value: Any, rule: Numbers, lengths: Lengths, what: str) -> None:
    """`lengths` gets those of axes that have none yet."""
    if value is None and rule.optional:
        return
    if isinstance(value, Real) and (rule.or_one or not rule.axes):
        found = np.asarray(value)
    else:
        right = isinstance(value, np.ndarray) or (rule.sparse and sp.issparse(value))
        require(right and rule.axes, f"{what} is not what it should be")
        _check_axes(value.shape, rule.axes, lengths, what)
        found = value.data if sp.issparse(value) else value
    kinds = rule.kinds + "iu" if not rule.axes else rule.kinds
    require(found.dtype.kind in kinds and found.dtype != np.float16, f"{what} holds numbers of the type {found.dtype}")
    if not found.size or rule.kinds == "b":
        return
    low, high = found.min(), found.max()  # NaN, if there is one
    if rule.finite:
        require(np.isfinite(low) and np.isfinite(high), f"{what} holds numbers that are not finite")
    require(not (low < rule.low or high > rule.high), f"{what} holds numbers out of their range")


def _check_axes(shape: tuple[int, ...], axes: tuple[str, ...], lengths: Lengths, what: str) -> None:
    require(len(shape) == len(axes), f"{what} has {len(shape)} axes where there should be {len(axes)}")
    for axis, length in zip(axes, shape, strict=True):
        known = lengths.setdefault(axis, length)
        require(length == known, f"{what} has {length} {axis}, and there are {known}")
        if axis in ("classes", "topics", "clusters"):
            few = length <= max(MAX_CLASSES, lengths.get("features", 0))
            require(few, f"{what} has {length} {axis}, which are too many for so few features")
