"""Similarities between documents or words, as sparse graphs or as things that multiply."""

from isthmus.operators.neighbours import neighbour_graph

__all__ = ["neighbour_graph"]
