"""What is counted, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from isthmus.drift import DriftReport

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class Metrics:
    """Of one server: a registry of its own, so that two servers of a process do not count together."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "isthmus_requests", "Requests by path and status.", ["path", "status"], registry=self._registry
        )
        self.documents = Counter(
            "isthmus_documents", "Documents labeled, by model and label.", ["model", "label"], registry=self._registry
        )
        self.seconds = Histogram(
            "isthmus_request_seconds", "Seconds that requests took.", buckets=SECONDS, registry=self._registry
        )
        self.waiting = Gauge("isthmus_waiting_documents", "Documents that wait.", ["model"], registry=self._registry)
        self.loads = Gauge("isthmus_model_loads", "How often a model was loaded.", ["model"], registry=self._registry)
        self._loaded_at = Gauge(
            "isthmus_model_loaded_timestamp_seconds", "When a model was loaded.", ["model"], registry=self._registry
        )
        self._problem = Gauge(
            "isthmus_model_problem",
            "1 if a newer file of a model cannot be loaded, or there is none.",
            ["model"],
            registry=self._registry,
        )
        self.drift = Gauge(
            "isthmus_drift", "1 if the last documents do not look like the target.", ["model"], registry=self._registry
        )
        self.signs = Gauge("isthmus_drift_sign", "What drift is told by.", ["model", "sign"], registry=self._registry)

    def tell_model(self, model: str, n_loaded: int, loaded_at: float, has_problem: bool) -> None:
        """Of the file that a model comes from."""
        self.loads.labels(model).set(n_loaded)
        self._loaded_at.labels(model).set(loaded_at)
        self._problem.labels(model).set(has_problem)

    def tell_drift(self, reports: Mapping[str, DriftReport | None]) -> None:
        """By model; None where there are too few documents to tell, and what was told of a model before it goes."""
        self.drift.clear()
        self.signs.clear()
        for model, report in reports.items():
            if report is not None:
                self.drift.labels(model).set(report.drifted)
                for sign in report.signs:
                    self.signs.labels(model, sign.name).set(sign.value)

    def text(self) -> bytes:
        return generate_latest(self._registry)
