"""Names of domains: which document is whose, and which domains are targets."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

import numpy as np

from isthmus.core.labels import is_missing, plain, read_column
from isthmus.typing import DomainName, DomainNames, Positions

ONLY_DOMAIN = "all"
"""The name of the one domain of a fit without `sample_domain`."""


def read_domains(sample_domain: DomainNames | None, n_rows: int) -> tuple[Positions, list[DomainName]]:
    """Number the domains by first appearance."""
    if sample_domain is None:
        return np.zeros(n_rows, dtype=np.intp), [ONLY_DOMAIN]
    names_of_rows = row_names(sample_domain, n_rows)
    names = list(dict.fromkeys(names_of_rows))
    number = {name: i for i, name in enumerate(names)}
    return np.array([number[name] for name in names_of_rows], dtype=np.intp), names


def read_targets(target_domain: Any, names: list[DomainName]) -> set[DomainName]:
    """Which domains are to be labeled: those that are asked for, or have negative numbers."""
    if target_domain is not None:
        return set(find_domains(target_domain, names, "target_domain"))
    if len(names) == 1 and not _negative(names[0]):
        return set()
    if all(isinstance(name, int) and not isinstance(name, bool) for name in names):
        targets = {name for name in names if _negative(name)}
        if targets:
            return targets
    raise ValueError(
        f"target_domain is missing and sample_domain names {_listed(names)}: name the domain(s) to label with "
        "target_domain=, or give targets negative integers."
    )


def find_domains(asked: Any, known: Collection[DomainName], argument: str) -> list[DomainName]:
    """Resolve an argument that is one domain name, or several, against the names that exist.

    These are what is returned: a name that equals one of them, as numpy's dates equal Python's, may have another hash.
    """
    names = list(known)
    if isinstance(asked, Hashable) and asked in names:
        return [names[names.index(asked)]]
    several = isinstance(asked, Collection) and not isinstance(asked, str | bytes)
    wanted = read_names(asked, argument) if several else [asked]
    if not wanted:
        raise ValueError(f"{argument} is {asked!r}, which names no domain: choose from {_listed(known)}.")
    for name in wanted:
        if name not in names:
            raise ValueError(
                f"{argument} names {name!r}, which has no rows; the domains here are {_listed(known)}. "
                f"Choose {argument} from these."
            )
    return list(dict.fromkeys(names[names.index(name)] for name in wanted))


def row_names(sample_domain: Any, n_rows: int) -> list[DomainName]:
    """The domain name of every row."""
    names = read_names(sample_domain, "sample_domain")
    if len(names) != n_rows:
        raise ValueError(
            f"sample_domain has {len(names)} entries and X has {n_rows} rows: give one domain name per row."
        )
    return names


def read_names(values: Any, argument: str) -> list[DomainName]:
    """Python scalars, so that numpy's 1 and '1' compare as a user expects."""
    if isinstance(values, str) or (not isinstance(values, Collection) and not hasattr(values, "__array__")):
        raise TypeError(f"{argument} is {values!r}: give a list or array with one domain name per row.")
    names = list(map(plain, read_column(values, argument, "domain names")))
    for row, name in enumerate(names):
        if not isinstance(name, Hashable):
            raise TypeError(f"{argument}[{row}] is {name!r}, which is not hashable: use strings or integers as names.")
        if is_missing(name):
            raise ValueError(f"{argument}[{row}] is {name!r}: every row needs a domain name.")
    return names


def _negative(name: DomainName) -> bool:
    return isinstance(name, int) and not isinstance(name, bool) and name < 0


def _listed(names: Collection[DomainName]) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown) if len(shown) <= 8 else ", ".join(shown[:8]) + f" and {len(shown) - 8} more"
