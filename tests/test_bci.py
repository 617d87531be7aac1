"""EEG sessions: small ones made here, in the layout of BCI Competition IV 2a."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

import isthmus
from command import run
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


def write_session(path: Path, seed: int, tilt: float = 0.0, per_class: int = 3) -> np.ndarray:
    """Two runs of twelve trials, or more, after one without any, as distributed."""
    rng = np.random.default_rng(seed)
    runs = np.empty(3, dtype=object)
    runs[0] = {"X": rng.normal(size=(50, 25)), "trial": [], "y": [], "fs": FS, "artifacts": []}
    labels = []
    for number in (1, 2):
        numbers = rng.permutation(np.repeat([1, 2, 3, 4], per_class))
        artifacts = np.zeros(len(numbers))
        artifacts[0] = number == 2
        X = record(rng, numbers, tilt)
        X[:3, 0] = np.nan
        trial = 1 + LENGTH * np.arange(len(numbers))
        classes = np.array(MOVEMENTS, dtype=object)
        runs[number] = {"X": X, "trial": trial, "y": numbers, "fs": FS, "classes": classes, "artifacts": artifacts}
        labels.append(numbers)
    path.parent.mkdir(parents=True, exist_ok=True)
    scipy.io.savemat(path, {"data": runs})
    return np.concatenate(labels)


def write_gdf(path: Path, recording: np.ndarray, events: list[tuple[int, int]]) -> None:
    """A file of the General Data Format, version 1.25: a header of 256 bytes and 256 for each channel, records of one
    second of 32-bit floats, then the table of events (position from one, kind)."""
    n_records, n_channels = len(recording) // FS, recording.shape[1]
    text = {8: [b"uV"] * n_channels, 16: [b"EEG-%d" % number for number in range(n_channels)]}
    fixed = struct.pack("<8s80s80s16sq8s8s8s20sqIII", b"GDF 1.25", b"X X", b"made up", b"2008010100000000",
                        256 * (1 + n_channels), b"", b"", b"", b"", n_records, 1, 1, n_channels)  # fmt: skip
    limit = float(np.ceil(np.abs(recording).max()))
    parts = [
        b"".join(name.ljust(16, b"\0") for name in text[16]),
        b"\0" * 80 * n_channels,
        b"".join(unit.ljust(8, b"\0") for unit in text[8]),
        np.full(n_channels, -limit, "<f8").tobytes() + np.full(n_channels, limit, "<f8").tobytes(),
        np.full(n_channels, -limit, "<i8").tobytes() + np.full(n_channels, limit, "<i8").tobytes(),
        b"\0" * 80 * n_channels,
        np.full(n_channels, FS, "<i4").tobytes() + np.full(n_channels, 16, "<i4").tobytes(),
        b"\0" * 32 * n_channels,
    ]
    records = recording[: n_records * FS].reshape(n_records, FS, n_channels).transpose(0, 2, 1).astype("<f4")
    places, kinds = (np.array(part) for part in zip(*events, strict=True))
    table = struct.pack("<B3sI", 1, FS.to_bytes(3, "little"), len(events))
    table += (places + 1).astype("<u4").tobytes() + kinds.astype("<u2").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fixed + b"".join(parts) + records.tobytes() + table)


def write_gdf_session(path: Path, seed: int, per_class: int = 4) -> np.ndarray:
    """One run, its third trial marked as an artefact."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(np.repeat([1, 2, 3, 4], per_class))
    starts = LENGTH * np.arange(len(numbers))
    events = [(int(start), 768) for start in starts]
    events += [(int(start + CUE * FS), 768 + int(number)) for start, number in zip(starts, numbers, strict=True)]
    write_gdf(path, record(rng, numbers), sorted([*events, (int(starts[2]), 1023)]))
    return numbers


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
    with pytest.raises(DataError, match=r"need mne: pip install 'isthmus\[eeg\]'"):
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


@pytest.mark.usefixtures("mne")
def test_a_session_from_a_gdf_file(tmp_path: Path) -> None:
    numbers = write_gdf_session(tmp_path / "bci-iv-2a" / "A01T.gdf", seed=2)
    trials = load_bci("A01T", tmp_path)
    assert trials.signals.shape == (16, 22, 2 * FS)
    assert trials.y.tolist() == [MOVEMENTS[number - 1] for number in numbers]
    assert np.flatnonzero(trials.artifacts).tolist() == [2]
    assert np.mean(trials.signals[:, :4].var(axis=2).argmax(axis=1) == numbers - 1) > 0.9
    # The competition's files of the second day say that there is a cue, and not which.
    silent = record(np.random.default_rng(0), numbers[:2])
    write_gdf(tmp_path / "bci-iv-2a" / "A01E.gdf", silent, [(round(CUE * FS), 783), (round(CUE * FS) + LENGTH, 783)])
    with pytest.raises(DataError, match="holds no labeled trial: take the MAT file"):
        load_bci("A01E", tmp_path)


@pytest.mark.usefixtures("mne")
def test_the_days_of_a_person_are_a_row_of_the_table(tmp_path: Path) -> None:
    """Experiment I: one day from a MAT file, the other from a GDF file, eight folds, a fifth of the labels."""
    write_session(tmp_path / "bci-iv-2a" / "A01T.mat", seed=1, per_class=4)
    write_gdf_session(tmp_path / "bci-iv-2a" / "A01E.gdf", seed=2, per_class=8)
    wanted = [
        "--methods",
        "LR,FR,DomTrans-NMF",
        "--set",
        "max_iter=10",
        "--repeats",
        "1",
        "--fresh",
        "--data",
        tmp_path,
    ]
    tasks = ["--tasks", "BCI A01, day 1 to 2", "--tasks", "BCI A02, day 1 to 2"]
    done = run("bench", "domtrans-nmf", *wanted, *tasks, "--json", tmp_path / "rows.json")
    assert done.code == 0, done.err
    assert "share of the target that is right" in done.stdout
    assert "BCI A02, day 1 to 2: The recordings of BCI Competition IV 2a are not here" in done.stdout
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert len(rows) == 3
    assert {row["metric"] for row in rows} == {"accuracy_fraction"}
    assert {row["params"]["n_splits"] for row in rows} == {8}
    assert min(row["mean"] for row in rows if row["method"] in ("LR", "DomTrans-NMF")) > 0.5  # of four movements
