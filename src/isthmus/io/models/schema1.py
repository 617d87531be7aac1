"""Files of schema 1, which named classes by their module and knew no solutions."""

from __future__ import annotations

from typing import Any

NAMES = {
    **{f"isthmus.methods.{name.lower()}.{name}": name for name in (
        "ASVM", "CCI", "CDSC", "CDSVM", "CoCC", "DKT", "DTL", "DTLM", "DTMKL", "FR", "GCMF", "KDE", "KMeans", "LR",
        "LSA", "MSDA", "MTrick", "NMTF", "SC", "SGT", "SVM", "TCL", "TSVM",
    )},
    "isthmus.choice.alarm.Alarm": "Caution",
    "isthmus.choice.auto.Auto": "Auto",
    "isthmus.choice.candidates.Ensemble": "Ensemble",
    "isthmus.choice.evidence.Evidence": "Diagnostics",
    "isthmus.choice.leaderboard.Leaderboard": "Leaderboard",
    "isthmus.choice.trust.Estimate": "Estimate",
    "isthmus.methods.domtrans_nmf.DomTransNMF": "DomTransNMF",
    "isthmus.methods.kernels.KernelFeatures": "KernelFeatures",
    "isthmus.methods.margins.Machines": "Machines",
    "isthmus.methods.naive_bayes_em.NaiveBayesEM": "NaiveBayesEM",
    "isthmus.methods.self_training.SelfTraining": "SelfTraining",
    "isthmus.methods.transductive_lr.TransductiveLR": "TransductiveLR",
    "isthmus.operators.clamped.AllLinks": "AllLinks",
    "isthmus.operators.clamped.NeighbourLinks": "NeighborLinks",
    "isthmus.operators.clamped.Placed": "Placed",
    "isthmus.operators.denoising.DenoisingMap": "DenoisingMap",
    "isthmus.operators.denoising.Layer": "Layer",
    "isthmus.operators.embedding.Embedding": "Embedding",
    "isthmus.operators.word_map.WordMap": "WordMap",
    "isthmus.text.encoder.TextEncoder": "TextEncoder",
    "isthmus.text.sign_split.SignSplit": "SignSplit",
    "isthmus.text.stems.StemCounts": "StemCounts",
    "isthmus.text.vectorizer.LogTfidf": "LogTfidf",
    "isthmus.transfer.Result": "Result",
}  # fmt: skip
"""What classes are called now. Those of scikit-learn have kept their names."""

RENAMED = {
    "_n_neighbours": "_n_neighbors",
    "alarms_": "warnings_",
    "cut": "normalized_cut",
    "evidence_": "diagnostics_",
    "following": "source_agreement",
    "held": "prior_known",
    "likeness": "class_mean_cosine",
    "map_": "feature_map_",
    "modesty": "underconfidence",
    "n_free": "n_unlabeled",
    "n_levels": "n_weights",
    "n_neighbours": "n_neighbors",
    "n_rounds": "max_iter",
    "n_vectors": "n_eigenvectors",
    "neighbours": "neighbor_skill",
    "sentence": "message",
    "steadiness": "self_training_stability",
    "taken": "max_fraction",
    "target_shares": "target_prior",
    "target_shares_": "target_prior_",
    "word_log_shares_": "word_log_probabilities_",
    "class_log_shares_": "class_log_prior_",
}

FACTORS = ("profiles_", "n_iter_", "objective_", "_default_profile")
TOPICS = (*FACTORS, "common_topics_", "domain_topics_", "association_")
SOLUTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ASVM": ("ASVMSolution", ("machines_", "_default", "source_")),
    "CCI": ("CCISolution", (*FACTORS, "word_clusters_", "associations_", "correspondences_")),
    "CDSVM": ("CDSVMSolution", ("machines_", "support_", "support_weights_")),
    "CoCC": (
        "CoCCSolution",
        ("word_clusters_", "n_iter_", "objective_", "_of_source", "_of_target", "_fully_labeled"),
    ),
    "DTLM": ("DTLMSolution", (*TOPICS, "coefficients_")),
    "DTMKL": (
        "DTMKLSolution",
        ("kernel_weights_", "discrepancies_", "objective_", "n_iter_", "_features", "_machines"),
    ),
    "DomTransNMF": ("DomTransNMFSolution", ("bases_", "coefficients_", "intercepts_", "n_iter_", "objective_")),
    "FR": ("MachinesSolution", ("machines_", "_default")),
    "KDE": ("KDESolution", ("classifier_", "weights_", "sharpness_")),
    "KMeans": ("KMeansSolution", ("centers_", "_default", "_square")),
    "LR": ("LinearSolution", ("classifier_",)),
    "NaiveBayesEM": (
        "MixtureSolution",
        ("word_log_probabilities_", "class_log_prior_", "length_", "spread_", "n_iter_"),
    ),
    "SGT": ("SGTSolution", ("cuts_", "_rows", "_prior", "_n_neighbors")),
    "SVM": ("MarginSolution", ("classifier_",)),
    "SelfTraining": ("SelfTrainingSolution", ("classifier_", "feature_map_", "n_iter_")),
    "TransductiveLR": ("TransductiveLRSolution", ("classifier_", "feature_map_")),
    "TSVM": ("TSVMSolution", ("classifier_", "n_iter_")),
    **dict.fromkeys(("LSA", "MSDA"), ("MappedSolution", ("classifier_", "feature_map_"))),
    **dict.fromkeys(
        ("CDSC", "SC"),
        ("EmbeddingSolution", ("eigenvalues_", "class_points_", "classifier_", "_embedding", "_places")),
    ),
    **dict.fromkeys(("DKT", "DTL", "GCMF", "MTrick", "NMTF", "TCL"), ("TopicSolution", TOPICS)),
    "Auto": (
        "EnsembleSolution",
        (
            *("chosen_", "estimated_accuracy_", "warnings_", "diagnostics_", "target_prior_", "leaderboard_"),
            *("_members", "_spreads", "_sharpness", "_scale", "_weights", "_offsets"),
        ),
    ),
}  # fmt: skip
"""For each method the solution that it has now, and which of the estimator's attributes make it up."""

GONE = {"underconfidence", "prior_known", "self_training_stability", "source_agreement", "consistency"}
"""Diagnostics that are no longer made."""

TRANSDUCTIVE = {
    "EmbeddingSolution",
    "MixtureSolution",
    "EnsembleSolution",
    "SelfTrainingSolution",
    "TransductiveLRSolution",
    "SGTSolution",
    "DomTransNMFSolution",
    "CCISolution",
    "DTLMSolution",
    "TopicSolution",
}


def convert(name: str, attributes: dict[str, Any], make: Any) -> tuple[str, dict[str, Any]]:
    """The class and the attributes that an object of a file of schema 1 has now.

    `make(name, attributes)` puts a known object together. A KeyError stands for a name that was never written.
    """
    if name.startswith("sklearn."):
        return name, attributes
    name = NAMES[name]
    attributes = {RENAMED.get(key, key): value for key, value in attributes.items()}
    if name == "Caution" and attributes.get("kind") == "class shares":
        attributes["kind"] = "prior"
    if name == "Result":
        attributes["X"] = None
    if name == "Diagnostics":
        attributes = {key: value for key, value in attributes.items() if key not in GONE}
    if name == "Ensemble":  # its members are estimators no longer
        members = [vars(member)["solution_"] for member in attributes.pop("estimators")]
        return "EnsembleMembers", {"_members": members, **{f"_{key}": value for key, value in attributes.items()}}
    if name not in SOLUTIONS or not _is_fitted(name, attributes):
        return name, attributes
    _derive(name, attributes, make)
    solution, wanted = SOLUTIONS[name]
    fields = {key.removesuffix("_"): attributes.pop(key) for key in wanted}
    if solution in TRANSDUCTIVE:
        fields["distributions"] = None
    return name, {**attributes, "solution_": make(solution, fields)}


def _is_fitted(name: str, attributes: dict[str, Any]) -> bool:
    first = next(key for key in SOLUTIONS[name][1] if key[0] != "_")
    return first in attributes


def _derive(name: str, attributes: dict[str, Any], make: Any) -> None:
    """What was kept in another way."""
    if name == "KMeans":
        attributes["_default"] = attributes.pop("_default_centers")
    if name == "SelfTraining":
        attributes |= {"n_iter_": attributes["max_iter"], "feature_map_": None}
    if name == "SGT":
        attributes["_n_neighbors"] = attributes["n_neighbors"]
    if name == "Auto":
        attributes |= {**attributes.pop("_ensemble"), "_weights": [], "_offsets": []}
    if name in ("CDSC", "SC"):
        weighted = attributes.get("weighting") == "eigenvalue"
        places = {
            "class_points": attributes["class_points_"],
            "classifier": attributes["classifier_"],
            "prior": attributes.pop("_prior"),
            "sharpness": attributes.pop("_sharpness"),
            "weights": (1 - attributes["eigenvalues_"]) ** 2 if weighted else None,
        }
        attributes["_places"] = make("PlaceClassifier", places)
