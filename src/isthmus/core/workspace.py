"""What several methods on one problem need, computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Concatenate, ParamSpec, TypeVar

from isthmus.core.problem import Problem
from isthmus.typing import Matrix

T = TypeVar("T")
P = ParamSpec("P")


class Workspace:
    """A problem, and what functions of it have returned. `Auto` passes one to all its candidates.

    Arguments must be hashable: they and the function are the key.

    Examples
    --------
    >>> import numpy as np
    >>> from isthmus.core.problem import make_problem
    >>> from isthmus import LR
    >>> def count(workspace, start):
    ...     print("counting")
    ...     return start + workspace.problem.n_rows
    >>> workspace = Workspace(make_problem(LR(), np.eye(2), ["a", "b"]))
    >>> workspace.once(count, 1), workspace.once(count, 1)
    counting
    (3, 3)
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._of_problem: dict[Hashable, Any] = {}
        self._of_documents: dict[Hashable, Any] = {}

    def once(self, function: Callable[Concatenate[Workspace, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function(workspace, ...)` returns, computed for the first who asks."""
        key = (function, args, *sorted(kwargs.items()))
        if key not in self._of_problem:
            self._of_problem[key] = function(self, *args, **kwargs)
        return self._of_problem[key]

    def of_documents(self, function: Callable[[Matrix], T]) -> T:
        """What a function of all documents returns, which cannot read a label: `relabeled` keeps it."""
        if function not in self._of_documents:
            self._of_documents[function] = function(self.problem.documents)
        return self._of_documents[function]

    def relabeled(self, problem: Problem) -> Workspace:
        """For the same documents under other labels."""
        other = Workspace(problem)
        other._of_documents = self._of_documents
        return other
