"""The factorization engine: terms, constraints, starts, and a solver that puts them together.

A factorization is a set of named factors, a list of terms that add up to the objective, and one constraint per
factor. A method chooses these parts; `minimize` does the rest.
"""

from isthmus.engine.constraints import ColumnsSumToOne, Constraint, Free, Frozen, NonNegative, RowsSumToOne
from isthmus.engine.documents import Documents, MatrixDocuments
from isthmus.engine.factors import Factors
from isthmus.engine.fold_in import fold_in
from isthmus.engine.solver import Factorization, History, Step, minimize, objective, update
from isthmus.engine.starts import (
    first_labels,
    fit_logistic,
    log_odds,
    logistic_regression,
    mean_square,
    mean_squared_length,
    plain_nmf,
    random_start,
)
from isthmus.engine.terms import (
    Closeness,
    Fit,
    Graph,
    MeanDiscrepancy,
    Orthogonality,
    Product,
    Regression,
    Ridge,
    Split,
    Strand,
    Term,
)

__all__ = [
    "Closeness",
    "ColumnsSumToOne",
    "Constraint",
    "Documents",
    "Factorization",
    "Factors",
    "Fit",
    "Free",
    "Frozen",
    "Graph",
    "History",
    "MatrixDocuments",
    "MeanDiscrepancy",
    "NonNegative",
    "Orthogonality",
    "Product",
    "Regression",
    "Ridge",
    "RowsSumToOne",
    "Split",
    "Step",
    "Strand",
    "Term",
    "first_labels",
    "fit_logistic",
    "fold_in",
    "log_odds",
    "logistic_regression",
    "mean_square",
    "mean_squared_length",
    "minimize",
    "objective",
    "plain_nmf",
    "random_start",
    "update",
]
