"""How stored results decide about a claim: a rule to each kind of claim.

Differences are counted in points: hundredths of accuracy, error rate or area. Within `TOLERANCE` a claim comes back,
within `FAR` it does so in part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

from isthmus.bench.stored import COMES_BACK, DOES_NOT, NOT_RUN, PARTLY, VERDICTS, Judgement, StoredResults
from isthmus.exceptions import DataError

TOLERANCE = 1.0
FAR = 5.0
METRIC_OF = {
    "tcl": "accuracy_percent",
    "cci": "accuracy_percent",
    "dtlm": "accuracy_fraction",
    "cdsc": "error_rate",
    "domtrans-nmf": "roc_auc",
}
MISSING = Judgement("", NOT_RUN)


def close_to(means: Iterable[float], published: float, metric: str) -> str:
    """Whether the best of some means reaches what was published."""
    scale = 1.0 if metric == "accuracy_percent" else 100.0
    sign = -1.0 if metric == "error_rate" else 1.0
    return _by_points(max(scale * sign * (mean - published) for mean in means), -TOLERANCE, -FAR)


def reaches(
    stored: StoredResults, table: str, *, columns: Sequence[str], published: float, tasks: Sequence[str] = ()
) -> Judgement:
    """The mean over tasks of one of the columns reaches the published one."""
    found = {column: mean for column in columns if (mean := stored.over(table, column, tasks)) is not None}
    if not found:
        return MISSING
    return Judgement(_listed(found, table), close_to(found.values(), published, METRIC_OF[table]))


def wins(
    stored: StoredResults, table: str, *, column: str, others: Sequence[str], tasks: Sequence[str], may_lose: int = 0
) -> Judgement:
    """The column is the best on all tasks but as many as the paper itself leaves out; half of them is a part."""
    sign = _sign(table)
    won = run = 0
    for task in tasks:
        own = stored.mean(table, task, column)
        rest = [stored.mean(table, task, other) for other in others]
        known = [sign * mean for mean in rest if mean is not None]
        if own is None or not known:
            continue
        run += 1
        won += sign * own >= max(known)
    if not run:
        return MISSING
    verdict = COMES_BACK if run - won <= may_lose else PARTLY if 2 * won >= run else DOES_NOT
    return Judgement(f"best on {won} of {run}", verdict)


def order(stored: StoredResults, table: str, *, columns: Sequence[str], tasks: Sequence[str] = ()) -> Judgement:
    """Means over tasks fall from column to column (error rates rise), but for a point."""
    found = {column: mean for column in columns if (mean := stored.over(table, column, tasks)) is not None}
    if len(found) < len(columns):
        return MISSING
    sign, scale = _sign(table), _scale(table)
    means = list(found.values())
    least = min(scale * sign * (first - second) for first, second in itertools.pairwise(means))
    return Judgement(_listed(found, table), _by_points(least, 0.0, -TOLERANCE))


def flat(
    stored: StoredResults,
    table: str,
    *,
    figure: str,
    low: float,
    high: float,
    tasks: Sequence[str] = (),
    method: str = "",
    within: float = 2.0,
) -> Judgement:
    """A sweep stays within some points of itself between two values; three times as many are a part."""
    curve = stored.curve(table, figure, tasks, method)
    inside = [mean for value, mean in curve.items() if low <= value <= high]
    if len(inside) < 2:
        return MISSING
    spread = _scale(table) * (max(inside) - min(inside))
    return Judgement(_drawn(curve, table), _by_points(-spread, -within, -3 * within))


def peak(
    stored: StoredResults,
    table: str,
    *,
    figure: str,
    low: float,
    high: float,
    tasks: Sequence[str] = (),
    method: str = "",
    needs: float = 0.0,
    slack: float = TOLERANCE,
) -> Judgement:
    """The best of a sweep lies between two values, `needs` points above the best outside; `slack` less is a part."""
    curve, sign = stored.curve(table, figure, tasks, method), _sign(table)
    inside = [sign * mean for value, mean in curve.items() if low <= value <= high]
    outside = [sign * mean for value, mean in curve.items() if not low <= value <= high]
    if not (inside and outside):
        return MISSING
    ahead = _scale(table) * (max(inside) - max(outside))
    return Judgement(_drawn(curve, table), _by_points(ahead, needs, needs - slack))


def gain(
    stored: StoredResults,
    table: str,
    *,
    figure: str,
    start: float,
    end: float,
    tasks: Sequence[str] = (),
    method: str = "",
    at_most: float | None = None,
    at_least: float | None = None,
) -> Judgement:
    """How much better a sweep is at one value than at another: at most, or at least, so many points."""
    curve = stored.curve(table, figure, tasks, method)
    if start not in curve or end not in curve:
        return MISSING
    points = _scale(table) * _sign(table) * (curve[end] - curve[start])
    ahead = points - at_least if at_least is not None else (at_most or 0.0) - points
    return Judgement(_drawn(curve, table), _by_points(ahead, 0.0, -2 * TOLERANCE))


def said(stored: StoredResults, table: str, *, measured: str, verdict: str) -> Judgement:
    """What was seen, where the claim is no number."""
    if verdict not in VERDICTS:
        raise DataError(f"A claim of {table} has the verdict {verdict!r}: choose from {', '.join(VERDICTS)}.")
    return Judgement(measured, verdict)


RULES: Mapping[str, Callable[..., Judgement]] = {
    "reaches": reaches,
    "wins": wins,
    "order": order,
    "flat": flat,
    "peak": peak,
    "gain": gain,
    "said": said,
}


def _by_points(ahead: float, whole: float, part: float) -> str:
    return COMES_BACK if ahead >= whole else PARTLY if ahead >= part else DOES_NOT


def _sign(table: str) -> float:
    return -1.0 if METRIC_OF[table] == "error_rate" else 1.0


def _scale(table: str) -> float:
    return 1.0 if METRIC_OF[table] == "accuracy_percent" else 100.0


def _listed(means: Mapping[str, float], table: str) -> str:
    return "; ".join(f"{_figure(mean, table)} ({column})" for column, mean in means.items())


def _drawn(curve: Mapping[float, float], table: str) -> str:
    return ", ".join(f"{_figure(mean, table)} at {value:g}" for value, mean in curve.items())


def _figure(mean: float, table: str) -> str:
    return f"{mean:.1f}" if METRIC_OF[table] == "accuracy_percent" else f"{mean:.3f}"
