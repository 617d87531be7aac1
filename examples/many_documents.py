"""Many documents: how time grows

Documents that are made, twenty to a hundred words each. Time grows about as their number does, because no method
here compares all pairs. `ISTHMUS_DOCUMENTS=1000000` goes on to a million.
"""

import os
from time import perf_counter

import isthmus
from isthmus.datasets import make_domains
from shared import COLORS, axes


def draw(quick=False):
    """Seconds against the number of documents, on logarithmic axes."""
    most = 450 if quick else int(os.environ.get("ISTHMUS_DOCUMENTS", "50000"))
    sizes = [most // 9, most // 3, most]
    methods = {"LR": isthmus.LR(), "TCL": isthmus.TCL(random_state=0), "CDSC": isthmus.CDSC(random_state=0)}
    seconds = {name: [] for name in methods}
    for size in sizes:
        made = make_domains(size // 2, n_words=500 if quick else 20_000, mean_length=60, random_state=0)
        for name, method in methods.items():
            began = perf_counter()
            method.fit(made.X, made.y, sample_domain=made.sample_domain, target_domain=1)
            seconds[name].append(perf_counter() - began)
    figure, [panel] = axes()
    for (name, values), color in zip(seconds.items(), (COLORS[3], COLORS[1], COLORS[2])):
        panel.loglog(sizes, values, "o-", color=color, label=name)
    panel.loglog(sizes, [seconds["LR"][0] * size / sizes[0] for size in sizes], ":", color="gray", label="linear")
    panel.set(xlabel="documents", ylabel="seconds to fit", title="made documents")
    panel.legend(frameon=False)
    return figure
