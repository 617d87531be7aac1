"""Data sets and the tasks that the papers made of them."""

from isthmus.data.bci import csp_features, load_bci
from isthmus.data.glioma import load_glioma
from isthmus.data.locate import DATASETS, Dataset, find, search_path
from isthmus.data.messages import load_messages
from isthmus.data.newsgroups import load_newsgroups
from isthmus.data.reuters import Story, load_reuters_pair, load_reuters_stories
from isthmus.data.splits import development_splits, divided_categories
from isthmus.data.sraa import load_sraa
from isthmus.data.task import Task
from isthmus.data.tasks import TABLES, Figure, Library, Table, TaskData, load_table

__all__ = [
    "DATASETS",
    "TABLES",
    "Dataset",
    "Figure",
    "Library",
    "Story",
    "Table",
    "Task",
    "TaskData",
    "csp_features",
    "development_splits",
    "divided_categories",
    "find",
    "load_bci",
    "load_glioma",
    "load_messages",
    "load_newsgroups",
    "load_reuters_pair",
    "load_reuters_stories",
    "load_sraa",
    "load_table",
    "search_path",
]
