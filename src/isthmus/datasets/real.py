"""Real domains of several kinds: spam, news, intents, headlines, sentences and Chinese reviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.datasets.archives import read_gzip
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.locate import DATASETS, find
from isthmus.exceptions import DataError

REAL_KINDS = ("spam", "news", "intents", "headlines", "sentences", "chinese")


def load_real(kind: str, data: Path | None = None) -> Corpus:
    """All domains of one of `REAL_KINDS`, in groups such as ``enron1/spam`` or ``clinc/travel/book_hotel``.

    A group of one class alone, ``nytimes/news``, comes in two halves, ``nytimes/news/1`` and ``nytimes/news/2``: they
    have no domain of their own to be told from.
    """
    folder = find(DATASETS["real"].file, data).parent
    texts, groups = [], []
    for path in sorted(folder.glob(f"{kind}-*.jsonl.gz")):
        domain = path.name.removeprefix(f"{kind}-").removesuffix(".jsonl.gz")
        for number, row in enumerate(_rows(path)):
            parts = [domain, row["label"], *([row["intent"]] if "intent" in row else [])]
            texts.append(row["text"])
            groups.append("/".join([*parts, *([str(number % 2 + 1)] if domain == "nytimes" else [])]))
    if not texts:
        raise DataError(f"{folder} has no domain of the kind {kind!r}: choose from {', '.join(REAL_KINDS)}.")
    return Corpus(texts, np.array(groups))


def _rows(path: Path) -> list[dict[str, Any]]:
    content = read_gzip(path)
    try:
        lines = content.decode("utf-8").split("\n")
        return [json.loads(line) for line in lines if line]
    except ValueError as error:
        raise DataError(f"{path} cannot be read: {error}. Get the file again.") from error
