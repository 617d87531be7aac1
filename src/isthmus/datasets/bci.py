"""BCI Competition IV, data set 2a: EEG of nine people who imagine four movements, recorded on two days.

Each session (A01T, A01E, ... A09E: person, and training or evaluation day) is one domain. It is distributed as MAT
files (BNCI Horizon 2020, data set 001-2014) and as GDF files (the competition's own; those of the evaluation days
have no labels). 250 samples a second, 22 EEG channels, then 3 of the eyes' movements, which are left out here. A trial
begins with a fixation cross; the cue comes two seconds later, and the movement is imagined until the sixth second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from scipy.signal import butter, sosfiltfilt
from sklearn.preprocessing import minmax_scale

from isthmus.datasets.locate import find
from isthmus.exceptions import DataError, MissingDataError
from isthmus.extras import import_extra
from isthmus.typing import Array, Mask

MOVEMENTS = ("left hand", "right hand", "feet", "tongue")
N_EEG = 22
CUE = 2.0
"""Seconds from the start of a trial to its cue."""
WINDOW = (0.5, 2.5)
"""Seconds after the cue that are looked at."""
BAND = (8.0, 30.0)
"""Hertz: the mu and beta rhythms, which imagined movement damps."""
_CUE_EVENTS = {"769": 1, "770": 2, "771": 3, "772": 4}
_REJECTED = "1023"


@dataclass(frozen=True, eq=False)
class Trials:
    """The trials of one session: band-passed signals, what was imagined, and what an expert marked as artefact."""

    signals: Array
    """Trials x channels x samples."""
    y: np.ndarray[Any, Any]
    artifacts: Mask


def load_bci(session: str, data: Path | None = None) -> Trials:
    """A session such as A01T, from bci-iv-2a/A01T.mat or, if that is not there, A01T.gdf."""
    try:
        path = find(f"bci-iv-2a/{session}.mat", data)
    except MissingDataError as missing:
        try:
            path = find(f"bci-iv-2a/{session}.gdf", data)
        except MissingDataError:
            raise missing from None
    runs = list(_mat_runs(path) if path.suffix == ".mat" else _gdf_runs(path))
    if not runs:
        raise DataError(f"{path} holds no labeled trial: take the MAT file, which has the labels of both days.")
    signals, numbers, artifacts = (np.concatenate(part) for part in zip(*runs, strict=True))
    return Trials(signals, np.array(MOVEMENTS)[numbers - 1], artifacts)


def csp_features(known: Trials, *sessions: Trials, n_patterns: int = 4) -> list[Array]:
    """Log-variances of each session's signals after common spatial patterns, from 0 to 1: trials x features.

    `n_patterns` for each class against all others, or altogether if there are two classes. They are learned from
    `known` alone, so give the source: no label of another session is read. Trials marked as artefacts teach no
    pattern. Each session is scaled by itself, which makes the logarithms non-negative.
    """
    mne = _mne()
    signals, y = known.signals[~known.artifacts], known.y[~known.artifacts]
    classes = np.unique(y)
    with mne.use_log_level("error"):
        # Not mne's own way with several classes: the order that it puts their patterns in misses the strongest ones.
        filters = [
            mne.decoding.CSP(n_patterns, log=True).fit(signals, (y == one).astype(int))
            for one in (classes if len(classes) > 2 else classes[1:])
        ]
        features = [np.hstack([csp.transform(session.signals) for csp in filters]) for session in sessions]
    return [np.asarray(minmax_scale(values)) for values in features]


def _mat_runs(path: Path) -> Iterator[tuple[Array, np.ndarray[Any, Any], Mask]]:
    try:
        runs = scipy.io.loadmat(path, struct_as_record=False, squeeze_me=True)["data"]
        for run in np.atleast_1d(runs):
            onsets = np.atleast_1d(run.trial).astype(np.intp)
            if len(onsets):  # the first runs of a session calibrate the eye channels, and have no trials
                numbers = np.atleast_1d(run.y).astype(np.intp)
                marks = np.atleast_1d(run.artifacts).astype(bool)
                # MATLAB counts from one.
                yield _epochs(np.asarray(run.X), onsets - 1 + round(CUE * run.fs), float(run.fs)), numbers, marks
    except (
        KeyError,
        AttributeError,
        ValueError,
        TypeError,
        NotImplementedError,
        scipy.io.matlab.MatReadError,
    ) as error:
        raise DataError(f"{path} is not a session of BCI Competition IV 2a ({error}): fetch it again.") from error


def _gdf_runs(path: Path) -> Iterator[tuple[Array, np.ndarray[Any, Any], Mask]]:
    raw = _mne().io.read_raw_gdf(path, preload=True, verbose="error")
    fs, notes = float(raw.info["sfreq"]), raw.annotations
    events = [(round(onset * fs), str(kind)) for onset, kind in zip(notes.onset, notes.description, strict=True)]
    rejected = [at for at, kind in events if kind == _REJECTED]
    cues = [(at, _CUE_EVENTS[kind]) for at, kind in events if kind in _CUE_EVENTS]
    if cues:
        onsets, numbers = (np.array(part) for part in zip(*cues, strict=True))
        # The mark stands at the trial's start, two seconds before the cue.
        marks = np.array([any(0 <= at - mark <= CUE * fs + 1 for mark in rejected) for at in onsets])
        yield _epochs(raw.get_data().T, onsets, fs), numbers, marks


def _epochs(recording: Array, cues: np.ndarray[Any, Any], fs: float) -> Array:
    """Samples x channels to trials x channels x samples. Gaps in a recording, stored as NaN, are read as zero."""
    passed = sosfiltfilt(butter(5, BAND, btype="bandpass", fs=fs, output="sos"), np.nan_to_num(recording[:, :N_EEG].T))
    first, last = (round(second * fs) for second in WINDOW)
    return np.stack([passed[:, cue + first : cue + last] for cue in cues])


def _mne() -> Any:
    import_extra("mne.decoding", "EEG features need", "eeg")
    return import_module("mne")
