"""Every method on comp vs sci (20 Newsgroups), from matrices to labels, as Markdown. Early stopping is off.

python benchmarks/methods.py DATA_FOLDER
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from time import perf_counter

from isthmus.bench.tasks import Library, load_table
from isthmus.methods import METHODS

ROUNDS = 3


def main() -> None:
    """The best of a few rounds for each method."""
    warnings.simplefilter("ignore")
    table = load_table("tcl")
    task = next(task for task in table.tasks if task.name == "comp vs sci")
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = Library(Path(sys.argv[1])).load(table, task)
    print("| method | seconds |\n|---|---|")
    runs: list[tuple[str, dict[str, int]]] = [(name, {}) for name in METHODS]
    for name, extra in [*runs, ("DomTransNMF", {"n_topics": 20})]:
        settings = {"tol": 0, "random_state": 0, **extra}
        known = METHODS[name]().get_params()
        estimator = METHODS[name](**{key: value for key, value in settings.items() if key in known})
        seconds = []
        for _ in range(ROUNDS):
            began = perf_counter()
            estimator.fit(data.X, data.y, sample_domain=data.sample_domain, target_domain=data.target_domain)
            seconds.append(perf_counter() - began)
        shown = ", ".join([name, *(f"{key} = {value}" for key, value in extra.items())])
        print(f"| {shown} | {min(seconds):.2f} |", flush=True)


if __name__ == "__main__":
    main()
