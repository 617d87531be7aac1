"""Loaders of the data sets that methods are tried on."""

from isthmus.datasets.bci import csp_features, load_bci
from isthmus.datasets.generated import GeneratedDomains, make_domains
from isthmus.datasets.glioma import load_glioma
from isthmus.datasets.locate import DATASETS, Dataset, find, search_path
from isthmus.datasets.messages import load_messages
from isthmus.datasets.newsgroups import load_newsgroups
from isthmus.datasets.reuters import Story, load_reuters_pair, load_reuters_stories
from isthmus.datasets.sraa import load_sraa

__all__ = [
    "DATASETS",
    "Dataset",
    "GeneratedDomains",
    "Story",
    "csp_features",
    "find",
    "load_bci",
    "load_glioma",
    "load_messages",
    "load_newsgroups",
    "load_reuters_pair",
    "load_reuters_stories",
    "load_sraa",
    "make_domains",
    "search_path",
]
