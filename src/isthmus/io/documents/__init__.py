"""Files of documents: reading them row by row, and writing what was found out about them."""

from isthmus.io.documents.again import FileColumn
from isthmus.io.documents.bad_rows import BadRowError
from isthmus.io.documents.columns import Columns
from isthmus.io.documents.given import GivenLabel, read_given
from isthmus.io.documents.placeholders import is_placeholder
from isthmus.io.documents.reading import Document, DocumentFile, open_documents, without_lone_surrogates
from isthmus.io.documents.tables import FORMATS, is_table
from isthmus.io.documents.tasks import (
    NO_CLASS,
    TASK_FORMATS,
    LabelTask,
    label_studio_interface,
    task_format,
    written_tasks,
)
from isthmus.io.documents.writing import PredictionWriter, check_format, compressed, csv_writer

__all__ = [
    "FORMATS",
    "NO_CLASS",
    "TASK_FORMATS",
    "BadRowError",
    "Columns",
    "Document",
    "DocumentFile",
    "FileColumn",
    "GivenLabel",
    "LabelTask",
    "PredictionWriter",
    "check_format",
    "compressed",
    "csv_writer",
    "is_placeholder",
    "is_table",
    "label_studio_interface",
    "open_documents",
    "read_given",
    "task_format",
    "without_lone_surrogates",
    "written_tasks",
]
