"""Raw text to matrices."""

from isthmus.text.vectorizer import LogTfidf, text_vectorizer

__all__ = ["LogTfidf", "text_vectorizer"]
