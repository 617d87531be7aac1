"""Several sources

Each source shares a few words with the target, and each others. With every source that is added, more of the target's
words are known, to the baseline as well as to adaptation; adaptation needs fewer sources for the same accuracy. The
documents are made by `make_domains`, so that all sources are alike but for their words.
"""

import warnings

import numpy as np

import isthmus
from isthmus.datasets import make_domains
from shared import COLORS, axes


def draw(quick=False):
    """Accuracy in the target against the number of sources."""
    most, size = (1, 40) if quick else (4, 200)
    words = 300 if quick else 1500
    made = make_domains(size, words, n_domains=most + 1, shared=0.15, strength=1.0, mean_length=60, random_state=3)
    texts, names = np.array(list(made.texts()), dtype=object), np.array(["no", "yes"])[made.y]
    domains, target = np.array([f"domain {number}" for number in made.sample_domain]), made.sample_domain == most
    figure, [panel] = axes()
    for method, color in (("LR", COLORS[3]), ("TCL", COLORS[1]), ("Auto", COLORS[0])):
        accuracy = []
        for n_sources in range(1, most + 1):
            own = made.sample_domain < n_sources
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = isthmus.transfer(
                    list(texts[own]),
                    list(names[own]),
                    list(texts[target]),
                    source_domains=list(domains[own]),
                    method=method,
                )
            accuracy.append(np.mean(result.labels == names[target]))
        panel.plot(range(1, most + 1), accuracy, "o-", color=color, label=method)
    panel.set(xlabel="sources", ylabel="accuracy in the target", xticks=range(1, most + 1), title="made domains")
    panel.legend(frameon=False)
    return figure
