"""Names that came before: as a set of them would say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isthmus.io.documents.seen import Seen


@given(st.lists(st.text(max_size=2), max_size=300))
def test_it_says_what_a_set_says(names: list[str]) -> None:
    seen, known = Seen(), set[str]()
    for name in names:
        assert seen.add(name) == (name not in known)
        known.add(name)


def test_it_grows() -> None:
    seen = Seen()
    assert all(seen.add(str(number)) for number in range(5000))
    assert not any(seen.add(str(number)) for number in range(5000))
