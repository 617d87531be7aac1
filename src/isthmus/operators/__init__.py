"""Similarities of documents and of words, as sparse graphs or as things that multiply, never as square arrays."""

from isthmus.operators.affinity import CosineAffinity, unit_rows
from isthmus.operators.clamped import AllLinks, NeighbourLinks, Placed, embed_clamped
from isthmus.operators.co_occurrence import CoOccurrence
from isthmus.operators.denoising import DenoisingMap, denoising_map
from isthmus.operators.embedding import Embedding, embed
from isthmus.operators.merge import class_means, class_sums, linked_rows
from isthmus.operators.must_link import MustLink
from isthmus.operators.neighbours import nearest, nearest_others, neighbour_graph
from isthmus.operators.scaled import Scaled
from isthmus.operators.spectrum import leading_vectors
from isthmus.operators.word_map import WordMap, denoising_lsa_map, lsa_map

__all__ = [
    "AllLinks",
    "CoOccurrence",
    "CosineAffinity",
    "DenoisingMap",
    "Embedding",
    "MustLink",
    "NeighbourLinks",
    "Placed",
    "Scaled",
    "WordMap",
    "class_means",
    "class_sums",
    "denoising_lsa_map",
    "denoising_map",
    "embed",
    "embed_clamped",
    "leading_vectors",
    "linked_rows",
    "lsa_map",
    "nearest",
    "nearest_others",
    "neighbour_graph",
    "unit_rows",
]
