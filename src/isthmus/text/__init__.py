"""Raw text to matrices."""

from isthmus.text.encoder import TextEncoder, check_encoder, encoder_vectorizer
from isthmus.text.sign_split import SignSplit
from isthmus.text.stems import StemCounts
from isthmus.text.unicode_counts import UnicodeCounts, reading_of
from isthmus.text.vectorizer import PRESETS, LogTfidf, preset_vectorizer, text_vectorizer

__all__ = [
    "PRESETS",
    "LogTfidf",
    "SignSplit",
    "StemCounts",
    "TextEncoder",
    "UnicodeCounts",
    "check_encoder",
    "encoder_vectorizer",
    "preset_vectorizer",
    "reading_of",
    "text_vectorizer",
]
