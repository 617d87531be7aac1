"""Words against embeddings

The same texts as words, and as the vectors of a static encoder (`pip install 'isthmus[static]'`), with and without
adaptation. `Auto` with an encoder reads both. More is not always better: on long posts with topics, words do best.
Where no encoder is on this machine, 64 numbers of an SVD of letter runs take its place, and the picture says so.
"""

import os
import warnings
from pathlib import Path

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline

import isthmus
from isthmus.text import local_static_encoder, static_encoder
from shared import COLORS, axes, topics


class LetterRuns:
    """An encoder of sorts: it has learned from nothing but the texts that it was made of."""

    def __init__(self, texts):
        hashed = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 5), n_features=2**14)
        self.steps = make_pipeline(hashed, TruncatedSVD(64, random_state=0)).fit(texts)

    def encode(self, texts):
        return self.steps.transform(texts)


def static_model():
    """The one of this machine, or the one beside the data; None if there is none."""
    folder = Path(os.environ.get("ISTHMUS_DATA", ".")) / "encoders" / "potion-base-8M"
    return static_encoder(folder) if folder.is_dir() else local_static_encoder()


def draw(quick=False):
    """Accuracy of LR and Auto on words, on embeddings, and on both."""
    task = topics(quick)
    encoder = None if quick else static_model()
    name = "static embeddings" if encoder is not None else "letter runs (no encoder here)"
    encoder = encoder or LetterRuns(task.source + task.target)
    bars = {
        "LR, words": {"method": "LR"},
        f"LR, {name}": {"method": "LR", "encoder": encoder},
        "Auto, words": {"encoder": None},
        f"Auto, words and {name}": {"encoder": encoder},
    }
    figure, [panel] = axes(6.4, 2.4)
    for row, (title, asked) in enumerate(bars.items()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            accuracy = task.accuracy(isthmus.transfer(task.source, task.labels, task.target, **asked).labels)
        panel.barh(-row, accuracy, color=COLORS[0] if "Auto" in title else COLORS[3])
        panel.text(accuracy, -row, f" {accuracy:.0%}", va="center")
    panel.set(
        yticks=range(0, -len(bars), -1), yticklabels=list(bars), xlim=(0, 1.1), xlabel="accuracy", title=task.name
    )
    return figure
