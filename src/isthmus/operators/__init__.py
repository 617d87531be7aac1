"""Similarities of documents and of words, as sparse graphs or as things that multiply, never as square arrays."""

from isthmus.operators.affinity import CosineAffinity, unit_rows
from isthmus.operators.co_occurrence import CoOccurrence
from isthmus.operators.embedding import Embedding, embed
from isthmus.operators.merge import class_means, class_sums, linked_rows
from isthmus.operators.must_link import MustLink
from isthmus.operators.neighbours import neighbour_graph
from isthmus.operators.scaled import Scaled
from isthmus.operators.spectrum import leading_vectors

__all__ = [
    "CoOccurrence",
    "CosineAffinity",
    "Embedding",
    "MustLink",
    "Scaled",
    "class_means",
    "class_sums",
    "embed",
    "leading_vectors",
    "linked_rows",
    "neighbour_graph",
    "unit_rows",
]
