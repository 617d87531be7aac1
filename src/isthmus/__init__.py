"""isthmus: classify the documents of one domain with labels from another."""

from isthmus.files import load, save
from isthmus.methods import CCI, CDSC, DTLM, LR, NMTF, SVM, TCL, DomTransNMF, KMeans
from isthmus.selection import source_folds
from isthmus.text import SignSplit
from isthmus.transfer import Result, transfer

__version__ = "0.1.0"

__all__ = [
    "CCI",
    "CDSC",
    "DTLM",
    "LR",
    "NMTF",
    "SVM",
    "TCL",
    "DomTransNMF",
    "KMeans",
    "Result",
    "SignSplit",
    "__version__",
    "load",
    "save",
    "source_folds",
    "transfer",
]
