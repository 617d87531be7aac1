"""Raw text to matrices."""

from isthmus.text.embedding import embed_texts, read_encoder
from isthmus.text.encoder import TextEncoder, encoder_vectorizer
from isthmus.text.growth import grown_vectorizer
from isthmus.text.names import feature_names, named_features
from isthmus.text.sign_split import SignSplit
from isthmus.text.static import StaticEncoder, is_static_folder, local_static_encoder, static_encoder
from isthmus.text.stems import StemCounts
from isthmus.text.streaming import NO_WORD, InTurn, rows_in_folder, texts_to_matrix
from isthmus.text.unicode_counts import UnicodeCounts, reading_of
from isthmus.text.vectorizer import PRESETS, LogTfidf, as_rows, preset_for, preset_vectorizer, text_vectorizer
from isthmus.text.words_and_embeddings import WordsAndEmbeddings

__all__ = [
    "NO_WORD",
    "PRESETS",
    "InTurn",
    "LogTfidf",
    "SignSplit",
    "StaticEncoder",
    "StemCounts",
    "TextEncoder",
    "UnicodeCounts",
    "WordsAndEmbeddings",
    "as_rows",
    "embed_texts",
    "encoder_vectorizer",
    "feature_names",
    "grown_vectorizer",
    "is_static_folder",
    "local_static_encoder",
    "named_features",
    "preset_for",
    "preset_vectorizer",
    "read_encoder",
    "reading_of",
    "rows_in_folder",
    "static_encoder",
    "text_vectorizer",
    "texts_to_matrix",
]
