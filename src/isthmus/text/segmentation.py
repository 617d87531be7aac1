"""Texts of any script to tokens: words where there are spaces, pairs of characters where there are none."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import regex
from regex import V1

from isthmus.core.features import LETTER_RUN

SPACED = (
    *("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Hangul", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"),
    *("Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Armenian", "Georgian", "Ethiopic", "Tibetan"),
)
SPACELESS = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
"""Scripts whose words no space divides, by their names in Unicode."""

URL_TOKEN = "<url>"  # noqa: S105
"""Stands for every address: what it is called changes from domain to domain, that there is one does not."""

SAMPLE_TEXTS, SAMPLE_LETTERS = 2000, 1000
"""Of how many texts, and of how much of each, the scripts are counted."""
LEAST_SHARE = 0.01
"""Of the letters, for a script to be named."""

_URL = r"(?:https?://|(?<!\w)www\.)[^\s<>\"']+"
_OF_SPACELESS = "".join(rf"\p{{Script={script}}}" for script in SPACELESS) + r"\u30fc"  # and Kana's long vowels
_RUN = f"[{_OF_SPACELESS}]+"
_PICTURE = r"[\p{Emoji_Presentation}[\p{Extended_Pictographic}--[\x00-\u25ff]]]"  # no arrows, no sign of copyright
_DECORATION = r"[\ufe0f\p{Emoji_Modifier}]"
_EMOJI = rf"\p{{Regional_Indicator}}{{2}}|{_PICTURE}{_DECORATION}*(?:\u200d{_PICTURE}{_DECORATION}*)*"
_WITHIN = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_OF_SPACELESS}]]"
_WORD = rf"[[\p{{L}}\p{{N}}_]--[{_OF_SPACELESS}]](?:{_WITHIN}|[\u200c\u200d](?={_WITHIN}))+"  # Persian joins parts

_SPECIAL = regex.compile(rf"(?V1){_URL}|{_PICTURE}|\p{{Regional_Indicator}}|[{_OF_SPACELESS}\p{{M}}\u200c\u200d]")
_TOKEN = regex.compile(rf"(?V1)(?P<url>{_URL})|(?P<emoji>{_EMOJI})|(?P<run>{_RUN})|(?P<word>{_WORD})")
_LETTERS = regex.compile(rf"(?V1)[{_OF_SPACELESS}]")
_DECORATIONS = regex.compile(rf"(?V1){_DECORATION}")


def is_plain(text: str) -> bool:
    """Whether words between spaces and signs, as scikit-learn cuts them, are all that there is.

    >>> is_plain("na\u00efve, #1!"), is_plain("\u597d"), is_plain("see www.example.org")
    (True, False, False)
    """
    if text.isascii() and "://" not in text and "www." not in text:  # which takes no time
        return True
    return _SPECIAL.search(text) is None


def tokens(text: str) -> tuple[list[str], list[str]]:
    """The words of a text in lower case, and beside them the pairs of characters of scripts without spaces.

    Words have two characters at least, of which vowel signs and other marks are some. An emoji is a word, whatever its
    color of skin, and an address on the web is the word `<url>`. The same character may be written in several ways: in
    one of them it is counted.

    >>> tokens("\u5f88\u597d\u5403! see https://example.org \U0001f44d\U0001f3fd")
    (['see', '<url>', '\U0001f44d'], ['\u5f88\u597d', '\u597d\u5403'])
    """
    text = unicodedata.normalize("NFKC" if _LETTERS.search(text) else "NFC", text)
    words, pairs = [], []
    for found in _TOKEN.finditer(text):
        kind, token = found.lastgroup, found.group()
        if kind == "run":
            pairs += _pairs(token)
        else:
            words.append({"url": URL_TOKEN, "emoji": _DECORATIONS.sub("", token)}.get(str(kind), token))
    return words, pairs


def _pairs(run: str) -> list[str]:
    """Of neighbors, each with its marks; a character that stands alone is itself."""
    characters = regex.findall(r"\X", run)
    return [first + second for first, second in pairwise(characters)] if len(characters) > 1 else characters


def letter_runs(word: str, length: int) -> list[str]:
    """The runs of so many letters of a word and its edges; none of a word that has no more.

    >>> letter_runs("good", 4), letter_runs("go", 4)
    (['~_goo', '~good', '~ood_'], [])
    """
    whole = f"_{word}_"
    n = len(whole) - length + 1
    return [f"{LETTER_RUN}{whole[start : start + length]}" for start in range(n)] if n > 1 else []


def scripts_of(texts: Sequence[str]) -> dict[str, float]:
    """Each script's share of the letters, the largest first; those of less than a hundredth are left out.

    >>> scripts_of(["\u597d\u5403 ok"])
    {'Han': 0.5, 'Latin': 0.5}
    """
    counts: Counter[str] = Counter()
    for text in texts[:: 1 + len(texts) // SAMPLE_TEXTS]:
        counts.update(text[:SAMPLE_LETTERS])
    all_of_them = "".join(counts)
    totals = {
        script: sum(counts[letter] for letter in regex.findall(rf"[\p{{Script={script}}}&&\p{{L}}]", all_of_them, V1))
        for script in (*SPACELESS, *SPACED)
    }
    total = sum(counts[letter] for letter in all_of_them if letter.isalpha())
    shares = {script: n / total for script, n in totals.items() if n and n / total >= LEAST_SHARE}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
