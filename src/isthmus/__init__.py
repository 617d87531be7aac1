"""isthmus: classify the documents of one domain with labels from another."""

from isthmus.methods import ASVM, CCI, CDSC, CDSVM, DTLM, DTMKL, FR, LR, MSDA, NMTF, SVM, TCL, DomTransNMF, KMeans
from isthmus.selection import source_folds
from isthmus.text import SignSplit
from isthmus.transfer import Result, transfer

__version__ = "0.1.0"

__all__ = [
    "ASVM",
    "CCI",
    "CDSC",
    "CDSVM",
    "DTLM",
    "DTMKL",
    "FR",
    "LR",
    "MSDA",
    "NMTF",
    "SVM",
    "TCL",
    "DomTransNMF",
    "KMeans",
    "Result",
    "SignSplit",
    "__version__",
    "source_folds",
    "transfer",
]
