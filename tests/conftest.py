"""What several test files share: problems made for the occasion, and the real data where they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings
from sklearn.base import clone

import isthmus
from isthmus import Auto
from isthmus.checks.corpus import Toy as Toy
from isthmus.checks.corpus import two_domains
from isthmus.core.cluster import local_cluster
from isthmus.core.estimator import TransferClassifier
from isthmus.exceptions import TransferWarning
from isthmus.methods import METHODS
from report_pages import ReportPages
from visiting import USUAL, Visit

make_toy = two_domains

settings.register_profile("isthmus", deadline=None, derandomize=True, max_examples=15)
settings.load_profile("isthmus")

SHARED_DATA = Path(os.environ.get("ISTHMUS_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets; tests that need it are skipped, loudly, where it is missing."""
    if not (SHARED_DATA / "20news-bydate.tar.gz").is_file():
        message = "NOT TESTED on real data: set ISTHMUS_DATA to a folder with 20news-bydate.tar.gz."
        warnings.warn(message, pytest.PytestWarning, stacklevel=1)
        pytest.skip(message)
    return SHARED_DATA


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Of a Dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            local_cluster(2, silence_logs="CRITICAL") as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by playwright; tests that need it are skipped, loudly, where neither can be had."""
    path = _find_browser()
    if path is None:
        message = "NOT TESTED in a browser: install chromium (on Debian: apt-get install chromium)."
        warnings.warn(message, pytest.PytestWarning, stacklevel=1)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root, as in a container, chromium starts without its sandbox only.
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.getuid() == 0 else [])


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> ReportPages:
    return ReportPages(tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def usual_page(browser: Any) -> Iterator[Any]:
    """A page for one visit after the other: a context of its own takes five times as long as the visit."""
    context = browser.new_context(**USUAL)
    yield context.new_page()
    context.close()


@pytest.fixture
def visit(browser: Any, usual_page: Any) -> Iterator[Any]:
    visits: list[Visit] = []
    contexts: list[Any] = []

    def open_page(path: Path, **options: Any) -> Visit:
        if options:
            contexts.append(browser.new_context(**(USUAL | options)))
            return Visit(contexts[-1].new_page(), path)
        if visits:
            visits.pop().leave()
        visits.append(Visit(usual_page, path))
        return visits[-1]

    yield open_page
    for here in visits:
        here.leave()
    for context in contexts:
        context.close()


def _find_browser() -> str | None:
    """A browser of the system; if there is none and we may, it is installed."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next((path for path in map(shutil.which, names) if path), None)
    apt = shutil.which("apt-get")
    if found or apt is None or os.getuid() != 0:
        return found
    quiet: dict[str, Any] = {
        "capture_output": True,
        "timeout": 300,
        "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    }
    wait = ["-o", "DPkg::Lock::Timeout=120"]  # another worker may be at it
    try:
        subprocess.run([apt, *wait, "update"], check=False, **quiet)
        subprocess.run([apt, *wait, "install", "-y", "--no-install-recommends", "chromium"], check=False, **quiet)
    except subprocess.TimeoutExpired:
        return None
    return shutil.which("chromium")


def unrelated_toy() -> Toy:
    """Documents in whose two domains hardly a word is the same, and those say nothing."""
    rng = np.random.default_rng(0)
    rows, labels, domains = [], [], []
    for number, domain in enumerate(("source", "target")):
        for label in range(2):
            for _ in range(80):
                counts = np.zeros(170)
                np.add.at(counts, rng.choice(10, 2), 0.5)
                first = 10 + 80 * number + 40 * label
                np.add.at(counts, rng.choice(np.arange(first, first + 40), 14), 1)
                rows.append(counts / np.linalg.norm(counts))
                labels.append(f"class {label}")
                domains.append(domain)
    return Toy(sp.csr_array(np.array(rows)), np.array(labels), np.array(domains))


@pytest.fixture(scope="session")
def toy() -> Toy:
    return make_toy()


@pytest.fixture(scope="session")
def toy_of_three() -> Toy:
    return make_toy(seed=1, n_classes=3, n_documents=150)


def quiet(toy: Toy, auto: Auto | None = None, **changes: Any) -> Any:
    """A fit of the automatic choice whose warnings are not what is tested."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TransferWarning)
        return toy.fit(auto or Auto(random_state=0), **changes)


@pytest.fixture(scope="session")
def fitted_auto(toy: Toy) -> Any:
    """The automatic choice for `toy`, for all who only look at it."""
    return quiet(toy)


def folds_of(toy: Toy, **options: Any) -> Any:
    return isthmus.source_folds(toy.y, toy.domain, "target", random_state=0, target_in_test=True, **options)


@dataclass(frozen=True)
class Part:
    """One fold: a part to fit to, and a part to score on."""

    toy: Toy
    train: np.ndarray
    test: np.ndarray

    def fit(self, model: Any, **changes: Any) -> Any:
        toy = Toy(self.toy.X[self.train], self.toy.y[self.train], self.toy.domain[self.train])
        return toy.fit(clone(model), **changes)

    def score(self, scorer: Any, model: Any, y: Any = None, rows: Any = None, labeled: Any = None) -> float:
        rows, y = self.test if rows is None else rows, self.toy.y if y is None else y
        mask = None if labeled is None else labeled[rows]
        return float(scorer(model, self.toy.X[rows], y[rows], sample_domain=self.toy.domain[rows], sample_labeled=mask))


@pytest.fixture(scope="session")
def part(toy: Toy) -> Part:
    return Part(toy, *folds_of(toy, n_splits=3)[0])


def build(name: str, **params: Any) -> TransferClassifier:
    """A method with its defaults, small and repeatable."""
    # DomTrans-NMF is meant for targets with a few labels. Without any, as in most tests, topics must be so few that
    # no domain gets some of its own. MTrick starts all domains from the same clusters: fewer than there are classes
    # and domains cannot tell them apart.
    n_topics = {"DomTransNMF": 2, "MTrick": 10}.get(name, 4)
    defaults = {"random_state": 0, "n_topics": n_topics, "max_iter": 60}
    known = METHODS[name]().get_params()
    return METHODS[name](**{key: value for key, value in defaults.items() if key in known} | params)


def quick(name: str, max_iter: int = 12) -> TransferClassifier:
    """The same with few iterations, where nothing hangs on the rest."""
    default = METHODS[name]().get_params().get("max_iter")
    return build(name) if default is None else build(name, max_iter=min(default, max_iter))


@pytest.fixture
def exact_logistic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logistic regressions to the end, as references need them: two solvers stop early at two places."""
    monkeypatch.setattr("isthmus.solvers.linear.logistic.TOL", 1e-10)
    monkeypatch.setattr("isthmus.solvers.linear.logistic.TOL_NEAR", 1e-10)


@pytest.fixture(params=sorted(METHODS))
def method(request: pytest.FixtureRequest) -> str:
    """Every method in turn."""
    return str(request.param)
