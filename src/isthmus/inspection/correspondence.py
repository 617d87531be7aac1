"""Word clusters of two domains and what they have to do with each other, as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isthmus.inspection.tables import printed
from isthmus.inspection.topics import Words, listed, telling_words
from isthmus.typing import Array, DomainName

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class WordCluster:
    """One word cluster of one domain."""

    label: Any
    """The class that it is associated with most."""
    words: Words
    """The most telling ones."""

    def __str__(self) -> str:
        return f"{self.label}: {listed(self.words)}"


@dataclass(frozen=True, eq=False)
class Correspondence:
    """The word clusters of a source, those of a target, and a weight for each pair. Prints as a table."""

    source: DomainName
    target: DomainName
    source_clusters: list[WordCluster]
    target_clusters: list[WordCluster]
    weights: Array
    """Source clusters x target clusters."""

    @property
    def shares(self) -> Array:
        """Of all weight, in percent."""
        return np.asarray(100 * self.weights / max(self.weights.sum(), np.finfo(self.weights.dtype).tiny))

    def table(self) -> Table:
        """Source clusters down, target clusters across, each pair's share of all weight in percent."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(Text(f"{self.source} \\ {self.target}, %"), overflow="fold", ratio=2)
        for cluster in self.target_clusters:
            table.add_column(Text(str(cluster)), overflow="fold", ratio=1, justify="right")
        for cluster, row in zip(self.source_clusters, self.shares, strict=True):
            table.add_row(Text(str(cluster)), *(f"{share:.1f}" for share in row))
        return table

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        sides = {"source_clusters": self.source_clusters, "target_clusters": self.target_clusters}
        return {
            "source": str(self.source),
            "target": str(self.target),
            **{name: [{"label": one.label, "words": dict(one.words)} for one in own] for name, own in sides.items()},
            "weights": self.weights.tolist(),
        }

    def __str__(self) -> str:
        return printed(self.table())


class Correspondences(list[Correspondence]):
    """One for each pair of a source and a target. Prints as tables, one below the other."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))


def read_clusters(
    feature_names: Sequence[str], classes: np.ndarray[Any, Any], factor: Array, association: Array, n_words: int
) -> list[WordCluster]:
    """The columns of a word factor (words x clusters), with the class that each goes with (clusters x classes)."""
    labels = classes[association.argmax(axis=1)].tolist()
    return [
        WordCluster(label, telling_words(feature_names, factor, association, number, n_words))
        for number, label in enumerate(labels)
    ]


def read_correspondences(
    feature_names: Sequence[str],
    classes: np.ndarray[Any, Any],
    sides: Mapping[DomainName, tuple[Array, Array]],
    weights: Mapping[tuple[DomainName, DomainName], Array],
    n_words: int,
) -> Correspondences:
    """Tables for all pairs in `weights`; `sides` holds each domain's word factor and its association with classes."""
    clusters = {name: read_clusters(feature_names, classes, *side, n_words) for name, side in sides.items()}
    return Correspondences(
        Correspondence(source, target, clusters[source], clusters[target], pair)
        for (source, target), pair in weights.items()
    )
