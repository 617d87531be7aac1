"""The methods, one to a file."""

from collections.abc import Callable

from isthmus.base import TransferClassifier
from isthmus.methods.cci import CCI
from isthmus.methods.cdsc import CDSC
from isthmus.methods.cocc import CoCC
from isthmus.methods.domtrans_nmf import DomTransNMF
from isthmus.methods.dtlm import DTLM
from isthmus.methods.kde import KDE
from isthmus.methods.kmeans import KMeans
from isthmus.methods.lr import LR
from isthmus.methods.nmtf import NMTF
from isthmus.methods.sc import SC
from isthmus.methods.sgt import SGT
from isthmus.methods.svm import SVM
from isthmus.methods.tcl import TCL
from isthmus.methods.tsvm import TSVM

METHODS: dict[str, Callable[..., TransferClassifier]] = {
    method.__name__: method
    for method in (TCL, CCI, DTLM, CDSC, DomTransNMF, NMTF, LR, SVM, KMeans, TSVM, SC, SGT, CoCC, KDE)
}
"""Every method by the name that papers and commands use."""

__all__ = [
    "CCI",
    "CDSC",
    "DTLM",
    "KDE",
    "LR",
    "METHODS",
    "NMTF",
    "SC",
    "SGT",
    "SVM",
    "TCL",
    "TSVM",
    "CoCC",
    "DomTransNMF",
    "KMeans",
]
