"""Splitting rows for cross-validation without touching a target label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from isthmus.core.domains import find_domains, row_names
from isthmus.core.labels import visible_labels
from isthmus.core.problem import read_mask
from isthmus.typing import DomainNames, Positions


def source_folds(
    y: Any,
    sample_domain: DomainNames,
    target_domain: Any,
    *,
    n_splits: int = 5,
    random_state: Any = None,
    target_in_test: bool = False,
    sample_labeled: Any = None,
) -> list[tuple[Positions, Positions]]:
    """Cross-validation folds that test on source rows alone and train on all others, the target's rows included.

    Pass them as `cv` to `GridSearchCV` or `cross_validate`: with scikit-learn's own splitters, target rows would land
    in the test folds, and their entries in `y` would decide.

    With `target_in_test`, all target rows are in every test fold, too, as `isthmus.selection.scorers` need it. They
    read no target label; scorers that do, such as accuracy, must not be used with such folds.

    Source rows whose label `sample_labeled` hides are in every training part and in no test.

    Examples
    --------
    >>> import isthmus
    >>> folds = isthmus.source_folds([0, 1, 0, 1, None], ["s", "s", "s", "s", "t"], "t", n_splits=2)
    >>> [test.tolist() for train, test in folds]
    [[0, 1], [2, 3]]
    """
    names = row_names(sample_domain, len(y))
    targets = find_domains(target_domain, dict.fromkeys(names), "target_domain")
    in_source = np.array([name not in targets for name in names])
    judged = in_source & read_mask(sample_labeled, in_source)
    source, others = np.flatnonzero(judged), np.flatnonzero(~judged)
    beside = np.flatnonzero(~in_source) if target_in_test else others[:0]
    splitter = StratifiedKFold(n_splits, shuffle=random_state is not None, random_state=random_state)
    return [
        (np.sort(np.concatenate([source[train], others])), np.sort(np.concatenate([source[test], beside])))
        for train, test in splitter.split(np.zeros(len(source)), visible_labels(y, judged))
    ]
