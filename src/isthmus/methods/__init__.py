"""The methods, one to a file."""

from collections.abc import Callable

from isthmus.base import TransferClassifier
from isthmus.methods.asvm import ASVM
from isthmus.methods.cci import CCI
from isthmus.methods.cdsc import CDSC
from isthmus.methods.cdsvm import CDSVM
from isthmus.methods.domtrans_nmf import DomTransNMF
from isthmus.methods.dtlm import DTLM
from isthmus.methods.dtmkl import DTMKL
from isthmus.methods.fr import FR
from isthmus.methods.kmeans import KMeans
from isthmus.methods.lr import LR
from isthmus.methods.msda import MSDA
from isthmus.methods.nmtf import NMTF
from isthmus.methods.svm import SVM
from isthmus.methods.tcl import TCL

METHODS: dict[str, Callable[..., TransferClassifier]] = {
    method.__name__: method
    for method in (TCL, CCI, DTLM, CDSC, DomTransNMF, NMTF, LR, SVM, KMeans, MSDA, FR, ASVM, CDSVM, DTMKL)
}
"""Every method by the name that papers and commands use."""

__all__ = [
    "ASVM",
    "CCI",
    "CDSC",
    "CDSVM",
    "DTLM",
    "DTMKL",
    "FR",
    "LR",
    "METHODS",
    "MSDA",
    "NMTF",
    "SVM",
    "TCL",
    "DomTransNMF",
    "KMeans",
]
