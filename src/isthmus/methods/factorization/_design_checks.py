"""Parts that do not fit together, told before a fit begins. What needs the data is checked by the solver."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

from isthmus.methods.factorization._design import Design
from isthmus.methods.factorization.recipes import ASSOCIATION, ROWS, WORDS, Recipe
from isthmus.solvers.factorization import Component, Constraint

NAME = re.compile(r"[^\W\d]+( [^\W\d]+)*\*?")
"""Words without digits, which are the domains', and perhaps a star."""

RESERVED = {"V", ROWS, "A", "A*", "I", "I*"}
"""The factors over documents, and those that recipes bring."""


def check_design(design: Design) -> None:
    """Raise an error that says what is wrong, and what would be right."""
    _check_components(design.components)
    _check_topics(design)
    _check_constraints(design)
    _check_terms(design)


def _check_components(components: Iterable[Any]) -> None:
    roles: dict[str, str] = {}
    linked: dict[str, bool] = {}
    if not (components := list(components)):
        raise ValueError("components is empty: give at least one, such as isthmus.parts.Component('W*', 'H').")
    for place, part in enumerate(components):
        where = f"components[{place}] is {part!r}"
        if not isinstance(part, Component):
            raise TypeError(f"{where}: give an isthmus.parts.Component.")
        number = isinstance(part.weight, Real) and not isinstance(part.weight, bool)
        if not (number and part.weight >= 0 and isfinite(part.weight)):
            raise ValueError(f"{where}, with weight {part.weight!r}: give a weight that is zero or larger.")
        for name, role in ((part.words, WORDS), (part.association, ASSOCIATION)):
            if name is None and role == ASSOCIATION:
                continue
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(f"{where}, with a factor named {name!r}: use letters, and a star at the end or none.")
            if name in RESERVED:
                raise ValueError(
                    f"{where}, and {name!r} is taken: V* are the documents' factors, A and I those of recipes. "
                    "Choose another name."
                )
            if roles.setdefault(name, role) != role:
                raise ValueError(f"{where}, and {name!r} is a factor over words and an association: give two names.")
        if linked.setdefault(part.words, part.association is not None) != (part.association is not None):
            raise ValueError(
                f"{where}, and {part.words!r} has an association in one component and none in another: "
                "its columns cannot be topics and classes. Give two names."
            )


def _check_topics(design: Design) -> None:
    given = design.n_topics
    if not isinstance(given, Mapping):
        return
    linked = [part for part in design.components if part.association is not None]
    if set(given) != (words := {part.words for part in linked}):
        raise ValueError(f"n_topics names {_listed(given)}: give a number for each of {_listed(words)}.")
    for name, number in given.items():
        if not isinstance(number, Integral) or isinstance(number, bool) or int(number) < 1:
            raise ValueError(f"n_topics[{name!r}] is {number!r}: give a whole number that is one or larger.")
    height: dict[str, Component] = {}
    for part in linked:
        first = height.setdefault(str(part.association), part)
        if given[first.words] != given[part.words]:
            raise ValueError(
                f"n_topics has {given[first.words]} for {first.words!r} and {given[part.words]} for {part.words!r}, "
                f"which share the association {part.association!r}: give them the same number, or two associations."
            )


def _check_constraints(design: Design) -> None:
    for name, constraint in design.constraints.items():
        if name not in design.kinds:
            raise ValueError(f"constraints names {name!r}, which is no factor: choose from {_listed(design.kinds)}.")
        if not isinstance(constraint, Constraint):
            raise TypeError(
                f"constraints[{name!r}] is {constraint!r}: give one of isthmus.parts, such as NonNegative()."
            )


def _check_terms(design: Design) -> None:
    brought: set[str] = set()
    for place, recipe in enumerate(design.terms):
        where = f"terms[{place}] is {recipe!r}"
        if not isinstance(recipe, Recipe):
            raise TypeError(f"{where}: give one of isthmus.parts, such as Neighbors('V*').")
        if hasattr(recipe, "factor"):
            fitting = [
                name
                for name, kind in design.kinds.items()
                if kind in recipe.kinds and ("*" in name or not recipe.compares_domains)
            ]
            if recipe.factor not in fitting:
                choice = f"choose its factor from {_listed(fitting)}" if fitting else "no component has such a factor"
                raise ValueError(f"{where}, which cannot be: {choice}.")
        if recipe.square_root and design.exponent > 0.5:
            raise ValueError(
                f"{where}, and exponent is {design.exponent}: the objective could rise. Give exponent=0.5."
            )
        if brought & set(recipe.brings):
            raise ValueError(f"{where}, the second of its kind: give one of them, with one weight.")
        brought |= set(recipe.brings)


def _listed(names: Collection[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names, key=str))
