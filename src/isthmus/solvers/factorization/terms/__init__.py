"""Terms of an objective, one to a file."""

from isthmus.solvers.factorization.terms.base import Product, QuadraticTerm, SplitGradient, Term
from isthmus.solvers.factorization.terms.closeness import Closeness
from isthmus.solvers.factorization.terms.discrepancy import MeanDiscrepancy
from isthmus.solvers.factorization.terms.graph import Graph
from isthmus.solvers.factorization.terms.orthogonality import Orthogonality
from isthmus.solvers.factorization.terms.reconstruction import Component, Reconstruction
from isthmus.solvers.factorization.terms.regression import Regression
from isthmus.solvers.factorization.terms.ridge import Ridge

__all__ = [
    "Closeness",
    "Component",
    "Graph",
    "MeanDiscrepancy",
    "Orthogonality",
    "Product",
    "QuadraticTerm",
    "Reconstruction",
    "Regression",
    "Ridge",
    "SplitGradient",
    "Term",
]
