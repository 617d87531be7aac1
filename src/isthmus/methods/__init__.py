"""The methods, one to a file."""

from collections.abc import Callable

from isthmus.base import TransferClassifier
from isthmus.methods.asvm import ASVM
from isthmus.methods.cci import CCI
from isthmus.methods.cdsc import CDSC
from isthmus.methods.cdsvm import CDSVM
from isthmus.methods.cocc import CoCC
from isthmus.methods.dkt import DKT
from isthmus.methods.domtrans_nmf import DomTransNMF
from isthmus.methods.dtl import DTL
from isthmus.methods.dtlm import DTLM
from isthmus.methods.dtmkl import DTMKL
from isthmus.methods.fr import FR
from isthmus.methods.gcmf import GCMF
from isthmus.methods.kde import KDE
from isthmus.methods.kmeans import KMeans
from isthmus.methods.lr import LR
from isthmus.methods.lsa import LSA
from isthmus.methods.msda import MSDA
from isthmus.methods.mtrick import MTrick
from isthmus.methods.naive_bayes_em import NaiveBayesEM
from isthmus.methods.nmtf import NMTF
from isthmus.methods.sc import SC
from isthmus.methods.self_training import SelfTraining
from isthmus.methods.sgt import SGT
from isthmus.methods.svm import SVM
from isthmus.methods.tcl import TCL
from isthmus.methods.transductive_lr import TransductiveLR
from isthmus.methods.tsvm import TSVM

METHODS: dict[str, Callable[..., TransferClassifier]] = {
    method.__name__: method
    for method in (
        TCL,
        CCI,
        DTLM,
        CDSC,
        DomTransNMF,
        ASVM,
        CDSVM,
        CoCC,
        DKT,
        DTL,
        DTMKL,
        FR,
        GCMF,
        KDE,
        KMeans,
        LR,
        LSA,
        MSDA,
        MTrick,
        NMTF,
        NaiveBayesEM,
        SC,
        SGT,
        SVM,
        SelfTraining,
        TSVM,
        TransductiveLR,
    )
}
"""Every method by the name that papers and commands use, the five of the papers first."""

__all__ = [
    "ASVM",
    "CCI",
    "CDSC",
    "CDSVM",
    "DKT",
    "DTL",
    "DTLM",
    "DTMKL",
    "FR",
    "GCMF",
    "KDE",
    "LR",
    "LSA",
    "METHODS",
    "MSDA",
    "NMTF",
    "SC",
    "SGT",
    "SVM",
    "TCL",
    "TSVM",
    "CoCC",
    "DomTransNMF",
    "KMeans",
    "MTrick",
    "NaiveBayesEM",
    "SelfTraining",
    "TransductiveLR",
]
