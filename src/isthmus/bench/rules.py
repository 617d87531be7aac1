"""How stored results decide about a claim: a rule to each kind of claim.

Differences are counted in points: hundredths of accuracy, error rate or area. Within `TOLERANCE` a claim comes back,
within `FAR` it does so in part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import NamedTuple

from isthmus.bench.metrics import METRICS, Metric
from isthmus.bench.stored import COMES_BACK, DOES_NOT, NOT_RUN, PARTLY, VERDICTS, Judgement, StoredResults
from isthmus.bench.tasks import load_table
from isthmus.exceptions import DataError

TOLERANCE = 1.0
FAR = 5.0
MISSING = Judgement("", NOT_RUN)


def close_to(means: Iterable[float], published: float, metric: Metric) -> str:
    """Whether the best of some means reaches what was published."""
    return _by_points(max(metric.ahead(mean, published) for mean in means), -TOLERANCE, -FAR)


def reaches(
    stored: StoredResults, table: str, *, columns: Sequence[str], published: float, tasks: Sequence[str] = ()
) -> Judgement:
    """The mean over tasks of one of the columns reaches the published one."""
    found = {column: mean for column in columns if (mean := stored.over(table, column, tasks)) is not None}
    if not found:
        return MISSING
    return Judgement(_listed(found, table), close_to(found.values(), published, _metric(table)))


def wins(
    stored: StoredResults, table: str, *, column: str, others: Sequence[str], tasks: Sequence[str], may_lose: int = 0
) -> Judgement:
    """The column is the best on all tasks but as many as the paper itself leaves out; half of them is a part."""
    won = run = 0
    for task in tasks:
        own = stored.mean(table, task, column)
        rest = [mean for other in others if (mean := stored.mean(table, task, other)) is not None]
        if own is None or not rest:
            continue
        run += 1
        won += min(_metric(table).ahead(own, mean) for mean in rest) >= 0
    if not run:
        return MISSING
    verdict = COMES_BACK if run - won <= may_lose else PARTLY if 2 * won >= run else DOES_NOT
    return Judgement(f"best on {won} of {run}", verdict)


def order(stored: StoredResults, table: str, *, columns: Sequence[str], tasks: Sequence[str] = ()) -> Judgement:
    """Means over tasks fall from column to column (error rates rise), but for a point."""
    found = {column: mean for column in columns if (mean := stored.over(table, column, tasks)) is not None}
    if len(found) < len(columns):
        return MISSING
    least = min(_metric(table).ahead(first, second) for first, second in itertools.pairwise(found.values()))
    return Judgement(_listed(found, table), _by_points(least, 0.0, -TOLERANCE))


class SweepCurve(NamedTuple):
    """A sweep: the mean over tasks at each value of a setting."""

    means: Mapping[float, float]
    metric: Metric

    def between(self, low: float, high: float) -> list[float]:
        return [mean for value, mean in self.means.items() if low <= value <= high]

    def beyond(self, low: float, high: float) -> list[float]:
        return [mean for value, mean in self.means.items() if not low <= value <= high]

    def best(self, means: Iterable[float]) -> float:
        return max(means, key=lambda mean: self.metric.points * mean)


def of_sweep(rule: Callable[..., str]) -> Callable[..., Judgement]:
    """A rule about a curve as one about the stored results of a figure, over some tasks, of one of its methods."""

    @wraps(rule)
    def judged(
        stored: StoredResults,
        table: str,
        *,
        figure: str,
        tasks: Sequence[str] = (),
        method: str = "",
        **numbers: float,
    ) -> Judgement:
        curve = SweepCurve(stored.curve(table, figure, tasks, method), _metric(table))
        drawn = ", ".join(f"{curve.metric.written(mean)} at {value:g}" for value, mean in curve.means.items())
        verdict = rule(curve, **numbers)
        return MISSING if verdict == NOT_RUN else Judgement(drawn, verdict)

    return judged


@of_sweep
def flat(curve: SweepCurve, *, low: float, high: float, within: float = 2.0) -> str:
    """A sweep stays within some points of itself between two values; three times as many are a part."""
    inside = curve.between(low, high)
    if len(inside) < 2:
        return NOT_RUN
    return _by_points(-abs(curve.metric.ahead(max(inside), min(inside))), -within, -3 * within)


@of_sweep
def peak(curve: SweepCurve, *, low: float, high: float, needs: float = 0.0, slack: float = TOLERANCE) -> str:
    """The best of a sweep lies between two values, `needs` points above the best outside; `slack` less is a part."""
    inside, outside = curve.between(low, high), curve.beyond(low, high)
    if not (inside and outside):
        return NOT_RUN
    return _by_points(curve.metric.ahead(curve.best(inside), curve.best(outside)), needs, needs - slack)


@of_sweep
def gain(
    curve: SweepCurve, *, start: float, end: float, at_most: float | None = None, at_least: float | None = None
) -> str:
    """How much better a sweep is at one value than at another: at most, or at least, so many points."""
    if start not in curve.means or end not in curve.means:
        return NOT_RUN
    points = curve.metric.ahead(curve.means[end], curve.means[start])
    ahead = points - at_least if at_least is not None else (at_most or 0.0) - points
    return _by_points(ahead, 0.0, -2 * TOLERANCE)


def above(
    stored: StoredResults,
    table: str,
    *,
    figure: str,
    method: str,
    others: Sequence[str],
    low: float,
    high: float,
    tasks: Sequence[str] = (),
) -> Judgement:
    """A method is the best at all values of a sweep between two but one; at half of them is a part."""
    ahead, curves = _metric(table).ahead, [stored.curve(table, figure, tasks, name) for name in (method, *others)]
    inside = [value for value in curves[0] if low <= value <= high and all(value in curve for curve in curves)]
    if not inside:
        return MISSING
    won = sum(all(ahead(curves[0][value], curve[value]) >= 0 for curve in curves) for value in inside)
    verdict = COMES_BACK if won >= len(inside) - 1 else PARTLY if 2 * won >= len(inside) else DOES_NOT
    return Judgement(f"best at {won} of {len(inside)} values", verdict)


def widest(
    stored: StoredResults, table: str, *, figure: str, task: str, others: Sequence[str], low: float, high: float
) -> Judgement:
    """Between two values, a task changes more than the others do, but for a point."""
    spreads = {}
    for name in (task, *others):
        inside = [mean for value, mean in stored.curve(table, figure, [name]).items() if low <= value <= high]
        if len(inside) < 2:
            return MISSING
        spreads[name] = abs(_metric(table).ahead(max(inside), min(inside)))
    ahead = spreads[task] - max(spreads[name] for name in others)
    shown = ", ".join(f"{name} by {spread:.1f} points" for name, spread in spreads.items())
    return Judgement(shown, _by_points(ahead, 0.0, -TOLERANCE))


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
    "above": above,
    "widest": widest,
    "said": said,
}


def _by_points(ahead: float, whole: float, part: float) -> str:
    return COMES_BACK if ahead >= whole else PARTLY if ahead >= part else DOES_NOT


def _listed(means: Mapping[str, float], table: str) -> str:
    return "; ".join(f"{_metric(table).written(mean)} ({column})" for column, mean in means.items())


def _metric(table: str) -> Metric:
    return METRICS[load_table(table).metric]
