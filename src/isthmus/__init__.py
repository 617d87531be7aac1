"""isthmus: classify the documents of one domain with labels from another."""

from isthmus.choice import Auto, suggest_labels
from isthmus.files import load, save
from isthmus.methods import (
    CCI,
    CDSC,
    DKT,
    DTL,
    DTLM,
    GCMF,
    KDE,
    LR,
    LSA,
    MSDA,
    NMTF,
    SC,
    SGT,
    SVM,
    TCL,
    TSVM,
    CoCC,
    DomTransNMF,
    KMeans,
    MTrick,
    NaiveBayesEM,
    SelfTraining,
    TransductiveLR,
)
from isthmus.selection import source_folds
from isthmus.text import SignSplit
from isthmus.transfer import Result, transfer

__version__ = "0.1.0"

__all__ = [
    "CCI",
    "CDSC",
    "DKT",
    "DTL",
    "DTLM",
    "GCMF",
    "KDE",
    "LR",
    "LSA",
    "MSDA",
    "NMTF",
    "SC",
    "SGT",
    "SVM",
    "TCL",
    "TSVM",
    "Auto",
    "CoCC",
    "DomTransNMF",
    "KMeans",
    "MTrick",
    "NaiveBayesEM",
    "Result",
    "SelfTraining",
    "SignSplit",
    "TransductiveLR",
    "__version__",
    "load",
    "save",
    "source_folds",
    "suggest_labels",
    "transfer",
]
