"""What a task is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Task:
    """One row of a paper's table: which groups of a corpus make up the classes of source and target."""

    name: str
    corpus: str
    source: Mapping[str, list[str]] = field(default_factory=dict)
    target: Mapping[str, list[str]] = field(default_factory=dict)
    file: str = ""
    """For matrices that come ready-made."""
    family: str = ""
    """What kind of task it is, where a table has several."""
    target_prior: Mapping[str, float] = field(default_factory=dict)
    """Class prior that the target is thinned out to; empty for all documents."""
    metric: str = ""
    """Where it is not the table's."""

    @property
    def sides(self) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
        return self.source, self.target
