"""Files of documents: reading them row by row, and writing what was found out about them."""

from isthmus.io.documents.bad_rows import BadRowError
from isthmus.io.documents.columns import Columns
from isthmus.io.documents.placeholders import is_placeholder
from isthmus.io.documents.reading import Document, DocumentFile, open_documents
from isthmus.io.documents.tables import FORMATS
from isthmus.io.documents.writing import PredictionWriter, check_format

__all__ = [
    "FORMATS",
    "BadRowError",
    "Columns",
    "Document",
    "DocumentFile",
    "PredictionWriter",
    "check_format",
    "is_placeholder",
    "open_documents",
]
