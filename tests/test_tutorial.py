"""The tutorial's Python, run as it stands."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

TUTORIAL = Path(__file__).parents[1] / "docs" / "add-a-method.md"


def test_the_tutorial_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 6
    module = ModuleType("tutorial")
    monkeypatch.setitem(sys.modules, "tutorial", module)  # where its dataclasses look for their module
    for number, block in enumerate(blocks):
        exec(compile(block, f"{TUTORIAL.name}, block {number + 1}", "exec"), vars(module))
    tried = doctest.testmod(module)
    assert tried.attempted >= 3
    assert not tried.failed
