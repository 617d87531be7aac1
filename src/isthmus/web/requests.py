"""What requests hold."""

from __future__ import annotations


def whole(text: str) -> str:
    """Without halves of surrogate pairs, which JSON can hold and nobody can write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
