"""Dataset shift after the fit: does what arrives still look like the target that a model was fitted to?"""

from isthmus.drift.monitor import DriftReport, Sign, compare_batch, compare_batches
from isthmus.drift.profile import (
    DrawnDocuments,
    TargetProfile,
    describe_documents,
    drawn_for_profile,
    profile_drawn,
    profile_target,
    profile_update,
)

__all__ = [
    "DrawnDocuments",
    "DriftReport",
    "Sign",
    "TargetProfile",
    "compare_batch",
    "compare_batches",
    "describe_documents",
    "drawn_for_profile",
    "profile_drawn",
    "profile_target",
    "profile_update",
]
