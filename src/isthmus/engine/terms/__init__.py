"""Terms of an objective, one to a file."""

from isthmus.engine.terms.base import Product, QuadraticTerm, Split, Term
from isthmus.engine.terms.closeness import Closeness
from isthmus.engine.terms.discrepancy import MeanDiscrepancy
from isthmus.engine.terms.fit import Fit, Strand
from isthmus.engine.terms.graph import Graph
from isthmus.engine.terms.orthogonality import Orthogonality
from isthmus.engine.terms.regression import Regression
from isthmus.engine.terms.ridge import Ridge

__all__ = [
    "Closeness",
    "Fit",
    "Graph",
    "MeanDiscrepancy",
    "Orthogonality",
    "Product",
    "QuadraticTerm",
    "Regression",
    "Ridge",
    "Split",
    "Strand",
    "Term",
]
