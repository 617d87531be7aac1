"""The parts that `isthmus.Factorized` is put together from.

Components say how the words of the classes are made of factors, constraints what a factor must satisfy, and recipes
what is added to the fit. A recipe of one's own is a frozen dataclass derived from `Recipe`, whose `terms` turns a
`Draft` into terms of `isthmus.solvers.factorization`.
"""

from isthmus.methods.factorization.recipes import (
    Draft,
    EqualFactors,
    EqualMeans,
    LabelRegression,
    NearLabels,
    Neighbors,
    Orthogonal,
    Recipe,
    Shrinkage,
)
from isthmus.solvers.factorization import (
    ColumnsSumToOne,
    Component,
    Constraint,
    Frozen,
    NonNegative,
    RowsSumToOne,
)

__all__ = [
    "ColumnsSumToOne",
    "Component",
    "Constraint",
    "Draft",
    "EqualFactors",
    "EqualMeans",
    "Frozen",
    "LabelRegression",
    "NearLabels",
    "Neighbors",
    "NonNegative",
    "Orthogonal",
    "Recipe",
    "RowsSumToOne",
    "Shrinkage",
]
