"""How good labels are, measured with true ones."""

from isthmus.evaluation.comparison import Comparison, compare
from isthmus.evaluation.measures import ClassScore, Evaluation, ReliabilityBin, evaluate_labels
from isthmus.evaluation.sample import SampleScore

__all__ = ["ClassScore", "Comparison", "Evaluation", "ReliabilityBin", "SampleScore", "compare", "evaluate_labels"]
