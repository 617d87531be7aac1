"""Dataset shift after the fit: does what arrives still look like the target that a model was fitted to?"""

from isthmus.drift.monitor import DriftReport, Sign, compare_batch
from isthmus.drift.profile import TargetProfile, describe_documents, profile_target, profile_update

__all__ = [
    "DriftReport",
    "Sign",
    "TargetProfile",
    "compare_batch",
    "describe_documents",
    "profile_target",
    "profile_update",
]
