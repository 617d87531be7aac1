"""Model files that earlier versions wrote are loaded, and predict what they predicted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isthmus
from forging import forge
from isthmus.exceptions import ModelFileError
from isthmus.methods import METHODS

FOLDER = Path(__file__).parent / "data" / "schema1"
EXPECTED: dict[str, dict[str, list[list[float]]]] = json.loads((FOLDER / "expected.json").read_text())
TEXTS = ["a refund for two charges", "crashes", "dock"]


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.filterwarnings("ignore::isthmus.exceptions.LibraryVersionWarning")
@pytest.mark.filterwarnings("ignore::isthmus.exceptions.EmptyDocumentWarning")
def test_files_of_schema_1_predict_what_they_predicted(name: str, tmp_path: Path) -> None:
    given: Any = TEXTS if name.startswith(("result", "pipeline")) else sp.load_npz(FOLDER / "new.npz")
    loaded = isthmus.load(FOLDER / f"{name}.isthmus")
    for domain, expected in EXPECTED[name].items():
        options = {} if domain == "default" else {"sample_domain": domain}
        assert loaded.predict_proba(given, **options) == pytest.approx(np.array(expected), abs=1e-12)
    isthmus.save(loaded, tmp_path / "again.isthmus")
    again = isthmus.load(tmp_path / "again.isthmus")
    assert np.array_equal(again.predict_proba(given), loaded.predict_proba(given))


def test_every_method_of_then_has_a_file() -> None:
    assert len(EXPECTED) >= 31
    assert set(EXPECTED) <= {*METHODS, "Auto", "result", "result-tcl", "pipeline"}


@pytest.mark.parametrize("named", ["isthmus.transfer.transfer", "os.system", "isthmus.methods.lr.np", "LR"])
def test_names_that_schema_1_never_had_are_refused(named: str, tmp_path: Path) -> None:
    forged = forge((FOLDER / "LR.isthmus").read_bytes(), lambda tree, _: tree.update({"class": named}))
    (tmp_path / "model.isthmus").write_bytes(forged)
    with pytest.raises(ModelFileError, match="cannot be loaded: it is of schema 1"):
        isthmus.load(tmp_path / "model.isthmus")
