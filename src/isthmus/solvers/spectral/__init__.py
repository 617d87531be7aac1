"""Similarities of documents, as sparse graphs or as things that multiply, and their eigenvectors."""

from isthmus.solvers.spectral.affinity import CosineAffinity
from isthmus.solvers.spectral.clamped import AllLinks, NeighborLinks, Placed, embed_clamped
from isthmus.solvers.spectral.document_graph import DocumentGraph
from isthmus.solvers.spectral.eigen import leading_vectors
from isthmus.solvers.spectral.embedding import Embedding, embed
from isthmus.solvers.spectral.growing import GrowingGraph
from isthmus.solvers.spectral.merge import class_means, class_sums, linked_rows
from isthmus.solvers.spectral.must_link import MustLink
from isthmus.solvers.spectral.neighbors import nearest, nearest_others, neighbor_graph

__all__ = [
    "AllLinks",
    "CosineAffinity",
    "DocumentGraph",
    "Embedding",
    "GrowingGraph",
    "MustLink",
    "NeighborLinks",
    "Placed",
    "class_means",
    "class_sums",
    "embed",
    "embed_clamped",
    "leading_vectors",
    "linked_rows",
    "nearest",
    "nearest_others",
    "neighbor_graph",
]
