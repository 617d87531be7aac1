"""What a model has learned, as people read it."""

from isthmus.inspection.class_words import class_words
from isthmus.inspection.correspondence import Correspondence, Correspondences
from isthmus.inspection.occlusion import deciding_words
from isthmus.inspection.topics import Topic, Topics

__all__ = ["Correspondence", "Correspondences", "Topic", "Topics", "class_words", "deciding_words"]
