"""Similarities and co-occurrences as things that multiply, never as square arrays."""

from isthmus.operators.co_occurrence import CoOccurrence
from isthmus.operators.scaled import Scaled

__all__ = ["CoOccurrence", "Scaled"]
