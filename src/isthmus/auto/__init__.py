"""The automatic choice: candidates, diagnostics, an ensemble, an estimate of its accuracy, and warnings."""

from isthmus.auto.auto import Auto
from isthmus.auto.diagnostics import Diagnostics
from isthmus.auto.estimate import Estimate
from isthmus.auto.leaderboard import Leaderboard
from isthmus.auto.warnings import Caution

__all__ = ["Auto", "Caution", "Diagnostics", "Estimate", "Leaderboard"]
