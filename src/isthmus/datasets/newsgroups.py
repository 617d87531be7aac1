"""20 Newsgroups."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from isthmus.datasets.archives import read_tar
from isthmus.datasets.corpus import Corpus
from isthmus.datasets.locate import DATASETS, find
from isthmus.exceptions import DataError

CATEGORIES: Mapping[str, Mapping[str, str]] = {
    "comp": {
        "graphics": "comp.graphics",
        "os": "comp.os.ms-windows.misc",
        "ibm": "comp.sys.ibm.pc.hardware",
        "mac": "comp.sys.mac.hardware",
    },
    "rec": {
        "autos": "rec.autos",
        "motorcycles": "rec.motorcycles",
        "baseball": "rec.sport.baseball",
        "hockey": "rec.sport.hockey",
    },
    "sci": {"crypt": "sci.crypt", "electronics": "sci.electronics", "med": "sci.med", "space": "sci.space"},
    "talk": {
        "guns": "talk.politics.guns",
        "mideast": "talk.politics.mideast",
        "misc": "talk.politics.misc",
        "religion": "talk.religion.misc",
    },
}
"""Short names of four groups of each top category. comp has a fifth, comp.windows.x, which most papers leave out."""


def load_newsgroups(data: Path | None = None) -> Corpus:
    """All posts of both parts of 20news-bydate, headers included, in the archive's order."""
    path = find(DATASETS["20news"].file, data)
    texts, groups = [], []
    for name, content in read_tar(path):
        if len(name.parts) != 3:
            raise DataError(f"{path} holds {str(name)!r} where part/group/number is expected: it is not 20news-bydate.")
        texts.append(content.decode("latin-1"))
        groups.append(name.parts[1])
    if not texts:
        raise DataError(f"{path} holds no posts: it is not 20news-bydate.")
    return Corpus(texts, np.array(groups))


def subject_and_body(text: str) -> str:
    """A post without the other lines of its header.

    >>> subject_and_body("From: me\\nSubject: cars\\nLines: 1\\n\\nTwo wheels.")
    'Subject: cars\\n\\nTwo wheels.'
    """
    header, _, body = text.partition("\n\n")
    subject = [line for line in header.splitlines() if line.lower().startswith("subject:")]
    return "\n".join(subject) + "\n\n" + body
