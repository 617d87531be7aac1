"""EEG sessions: small ones made here, in the layout of BCI Competition IV 2a."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

import isthmus
from isthmus.datasets import csp_features, load_bci
from isthmus.datasets.bci import CUE, MOVEMENTS, WINDOW
from isthmus.exceptions import DataError, MissingDataError

FS = 100
LENGTH = 5 * FS


def record(rng: np.random.Generator, numbers: np.ndarray, tilt: float = 0.0) -> np.ndarray:
    """25 channels that mix 25 rhythms of 12 Hz; the class decides which one of four is loud after the cue."""
    n = len(numbers) * LENGTH
    seconds = np.arange(n) / FS
    sources = 0.3 * rng.normal(size=(n, 25)) * np.sin(2 * np.pi * 12 * seconds)[:, None]
    for trial, number in enumerate(numbers):
        first = trial * LENGTH + round((CUE + WINDOW[0]) * FS)
        sources[first : first + round((WINDOW[1] - WINDOW[0]) * FS), number - 1] *= 5
    mixing = np.eye(25) + 0.1 * np.random.default_rng(0).normal(size=(25, 25)) + tilt * rng.normal(size=(25, 25))
    return np.asarray(sources @ mixing.T + 10 * np.sin(2 * np.pi * 2 * seconds)[:, None])  # and a slow wave on top


def write_session(path: Path, seed: int, tilt: float = 0.0) -> np.ndarray:
    """Two runs of twelve trials after one without any, as distributed."""
    rng = np.random.default_rng(seed)
    runs = np.empty(3, dtype=object)
    runs[0] = {"X": rng.normal(size=(50, 25)), "trial": [], "y": [], "fs": FS, "artifacts": []}
    labels = []
    for run in (1, 2):
        numbers = rng.permutation(np.repeat([1, 2, 3, 4], 3))
        artifacts = np.zeros(12)
        artifacts[0] = run == 2
        X = record(rng, numbers, tilt)
        X[:3, 0] = np.nan
        trial = 1 + LENGTH * np.arange(12)
        classes = np.array(MOVEMENTS, dtype=object)
        runs[run] = {"X": X, "trial": trial, "y": numbers, "fs": FS, "classes": classes, "artifacts": artifacts}
        labels.append(numbers)
    path.parent.mkdir(parents=True, exist_ok=True)
    scipy.io.savemat(path, {"data": runs})
    return np.concatenate(labels)


@pytest.fixture
def mne() -> Any:
    """The EEG library, which is an extra; what needs it is skipped, loudly, where it is missing."""
    reason = "NOT TESTED with mne: pip install 'isthmus[eeg]' to test spatial patterns and GDF files."
    return pytest.importorskip("mne", reason=reason)


def test_a_session_from_a_mat_file(tmp_path: Path) -> None:
    numbers = write_session(tmp_path / "bci-iv-2a" / "A01T.mat", seed=1)
    trials = load_bci("A01T", tmp_path)
    assert trials.signals.shape == (24, 22, 2 * FS)
    assert trials.y.tolist() == [MOVEMENTS[number - 1] for number in numbers]
    assert np.flatnonzero(trials.artifacts).tolist() == [12]
    assert np.isfinite(trials.signals).all()
    # The slow wave is gone, and the window is the one in which the class's own channel is loud.
    assert np.abs(trials.signals.mean(axis=2)).max() < 0.1
    loudness = trials.signals[:, :4].var(axis=2)
    assert np.mean(loudness.argmax(axis=1) == numbers - 1) > 0.95
    assert loudness.max() > 0.5


def test_what_is_missing_or_broken_gets_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(MissingDataError, match=r"bci-iv-2a/A02T.mat not found.*BNCI Horizon 2020"):
        load_bci("A02T", tmp_path)
    (tmp_path / "bci-iv-2a").mkdir()
    scipy.io.savemat(tmp_path / "bci-iv-2a" / "A02T.mat", {"other": 1})
    with pytest.raises(DataError, match="is not a session of BCI Competition IV 2a"):
        load_bci("A02T", tmp_path)
    (tmp_path / "bci-iv-2a" / "A03T.mat").write_bytes(b"no MAT file at all" * 20)
    with pytest.raises(DataError, match="is not a session of BCI Competition IV 2a"):
        load_bci("A03T", tmp_path)
    (tmp_path / "bci-iv-2a" / "A04T.gdf").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "mne", None)
    with pytest.raises(DataError, match=r"need mne: install it with pip install 'isthmus\[eeg\]'"):
        load_bci("A04T", tmp_path)


@pytest.mark.usefixtures("mne")
def test_features_cross_from_one_day_to_the_next(tmp_path: Path) -> None:
    for number, session in enumerate(("A01T", "A01E")):
        write_session(tmp_path / "bci-iv-2a" / f"{session}.mat", seed=number, tilt=0.03 * number)
    first, second = load_bci("A01T", tmp_path), load_bci("A01E", tmp_path)
    source, target = csp_features(first, first, second)
    assert source.shape == target.shape == (24, 16)
    for features in (source, target):
        assert features.min() == 0
        assert features.max() == pytest.approx(1)
    X, y = np.vstack([source, target]), np.concatenate([first.y, second.y])
    days = np.repeat(["first", "second"], 24)
    model = isthmus.DomTransNMF(n_topics=6, random_state=0).fit(X, y, sample_domain=days, target_domain="second")
    assert np.mean(model.transduction_[24:] == second.y) > 0.7


def test_a_session_from_a_gdf_file(tmp_path: Path, mne: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No library writes GDF: what mne would have read from one takes its place."""
    numbers = np.array([1, 2, 3, 4])
    info = mne.create_info(25, FS, "eeg")
    raw = mne.io.RawArray(record(np.random.default_rng(0), numbers).T, info, verbose="error")
    starts = 5.0 * np.arange(4)
    cues = [(start + CUE, str(768 + number)) for start, number in zip(starts, numbers, strict=True)]
    onsets, kinds = zip(*cues, (starts[2], "1023"), *((start, "768") for start in starts), strict=True)
    raw.set_annotations(mne.Annotations(onsets, 0, kinds))
    monkeypatch.setattr(mne.io, "read_raw_gdf", lambda path, **options: raw)
    (tmp_path / "bci-iv-2a").mkdir()
    (tmp_path / "bci-iv-2a" / "A01T.gdf").write_bytes(b"")
    trials = load_bci("A01T", tmp_path)
    assert trials.y.tolist() == list(MOVEMENTS)
    assert trials.artifacts.tolist() == [False, False, True, False]
    assert trials.signals[:, :4].var(axis=2).argmax(axis=1).tolist() == [0, 1, 2, 3]
    raw.set_annotations(mne.Annotations(starts + CUE, 0, ["783"] * 4))
    with pytest.raises(DataError, match="holds no labelled trial: take the MAT file"):
        load_bci("A01T", tmp_path)
