"""Factorization by multiplicative updates: terms, constraints, starts, and a solver that puts them together.

A factorization is a set of named factors, a list of terms that add up to the objective, and one constraint per
factor. A method chooses these parts; `minimize` does the rest.
"""

from isthmus.solvers.factorization.cluster_documents import ClusterDocuments, documents_of
from isthmus.solvers.factorization.co_occurrence import CoOccurrence
from isthmus.solvers.factorization.constraints import (
    ColumnsSumToOne,
    Constraint,
    Free,
    Frozen,
    NonNegative,
    RowsSumToOne,
)
from isthmus.solvers.factorization.documents import Documents, MatrixDocuments
from isthmus.solvers.factorization.factors import Factors
from isthmus.solvers.factorization.fold_in import fold_in
from isthmus.solvers.factorization.plsa import plsa
from isthmus.solvers.factorization.scaled import Scaled, ScaledDocuments
from isthmus.solvers.factorization.solver import Factorization, History, minimize, objective, update
from isthmus.solvers.factorization.starts import plain_nmf, random_start
from isthmus.solvers.factorization.terms import (
    Closeness,
    Component,
    Graph,
    MeanDiscrepancy,
    Orthogonality,
    Product,
    Reconstruction,
    Regression,
    Ridge,
    SplitGradient,
    Term,
)

__all__ = [
    "Closeness",
    "ClusterDocuments",
    "CoOccurrence",
    "ColumnsSumToOne",
    "Component",
    "Constraint",
    "Documents",
    "Factorization",
    "Factors",
    "Free",
    "Frozen",
    "Graph",
    "History",
    "MatrixDocuments",
    "MeanDiscrepancy",
    "NonNegative",
    "Orthogonality",
    "Product",
    "Reconstruction",
    "Regression",
    "Ridge",
    "RowsSumToOne",
    "Scaled",
    "ScaledDocuments",
    "SplitGradient",
    "Term",
    "documents_of",
    "fold_in",
    "minimize",
    "objective",
    "plain_nmf",
    "plsa",
    "random_start",
    "update",
]
