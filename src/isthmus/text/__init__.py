"""Raw text to matrices."""

from isthmus.text.encoder import TextEncoder, check_encoder, encoder_vectorizer
from isthmus.text.sign_split import SignSplit
from isthmus.text.vectorizer import LogTfidf, text_vectorizer

__all__ = ["LogTfidf", "SignSplit", "TextEncoder", "check_encoder", "encoder_vectorizer", "text_vectorizer"]
