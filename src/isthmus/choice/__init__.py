"""Choosing without target labels: the automatic method, how far to trust it, and the alarm."""

from isthmus.choice.alarm import Alarm
from isthmus.choice.auto import Auto
from isthmus.choice.evidence import Evidence
from isthmus.choice.leaderboard import Leaderboard
from isthmus.choice.suggest import suggest_labels
from isthmus.choice.trust import Estimate

__all__ = ["Alarm", "Auto", "Estimate", "Evidence", "Leaderboard", "suggest_labels"]
