"""Product reviews of six domains (FDU-MTL): positive or negative."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from isthmus.datasets.archives import read_gzip
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.locate import DATASETS, find
from isthmus.exceptions import DataError

REVIEW_DOMAINS = ("apparel", "camera_photo", "magazines", "music", "software", "video")
_PARTS = ("train", "test")
_CLASSES = {"0": "negative", "1": "positive"}


def load_reviews(data: Path | None = None) -> Corpus:
    """The labeled reviews of all domains, in groups such as ``music/positive``. The unlabeled files stay out."""
    folder = find(DATASETS["reviews"].file, data).parent
    texts, groups = [], []
    for domain in REVIEW_DOMAINS:
        for part in _PARTS:
            path = folder / f"{domain}.task.{part}.gz"
            lines = read_gzip(path).decode("latin-1").split("\n")
            for number, line in enumerate(lines, start=1):
                label, tab, text = line.partition("\t")
                if not tab and not line.strip():
                    continue
                if label.strip() not in _CLASSES:
                    raise DataError(f"{path} starts line {number} with {label[:20]!r}: 0 or 1 and a tab are expected.")
                texts.append(text)
                groups.append(f"{domain}/{_CLASSES[label.strip()]}")
    return Corpus(texts, np.array(groups))
