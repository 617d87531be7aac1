"""The methods: one estimator to a file, families in folders."""

from collections.abc import Callable

from isthmus.core.estimator import TransferClassifier
from isthmus.methods.baselines.lr import LR
from isthmus.methods.baselines.svm import SVM
from isthmus.methods.clustering.cocc import CoCC
from isthmus.methods.clustering.kmeans import KMeans
from isthmus.methods.factorization._base import TopicSolution
from isthmus.methods.factorization.cci import CCI
from isthmus.methods.factorization.dkt import DKT
from isthmus.methods.factorization.domtrans_nmf import DomTransNMF
from isthmus.methods.factorization.dtl import DTL
from isthmus.methods.factorization.dtlm import DTLM
from isthmus.methods.factorization.factorized import Factorized
from isthmus.methods.factorization.gcmf import GCMF
from isthmus.methods.factorization.mtrick import MTrick
from isthmus.methods.factorization.nmtf import NMTF
from isthmus.methods.factorization.tcl import TCL
from isthmus.methods.features.dci import DCI
from isthmus.methods.features.lsa import LSA
from isthmus.methods.features.msda import MSDA
from isthmus.methods.few_labels.asvm import ASVM
from isthmus.methods.few_labels.cdsvm import CDSVM
from isthmus.methods.few_labels.dtmkl import DTMKL
from isthmus.methods.few_labels.fr import FR
from isthmus.methods.self_labeling.naive_bayes_em import NaiveBayesEM
from isthmus.methods.self_labeling.self_training import SelfTraining
from isthmus.methods.self_labeling.transductive_lr import TransductiveLR
from isthmus.methods.self_labeling.tsvm import TSVM
from isthmus.methods.spectral.cdsc import CDSC
from isthmus.methods.spectral.sc import SC
from isthmus.methods.spectral.sgt import SGT
from isthmus.methods.weighting.kde import KDE

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
        DCI,
        DKT,
        DTL,
        DTMKL,
        FR,
        Factorized,
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
    "DCI",
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
    "Factorized",
    "KMeans",
    "MTrick",
    "NaiveBayesEM",
    "SelfTraining",
    "TopicSolution",
    "TransductiveLR",
]
