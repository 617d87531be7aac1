"""Ways from text to words, by name; most are a paper's."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from isthmus.text.vectorizer import text_vectorizer

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "opinions": {"min_df": 5, "longest": 2},  # no paper's: pairs of words such as "not good"
    "tcl": {"min_df": 15, "stop_words": "english"},  # section 4.1, 20 Newsgroups; 10 documents for the smaller SRAA
    "cci": {"min_df": 3, "stop_words": "english"},  # under "20 NewsGroups"
    "dtlm": {"min_df": 15, "stop_words": "english"},  # takes the data over from others, who say what TCL says
    "cdsc": {"min_df": 3, "stop_words": "english", "stemmer": "porter"},  # section 4.3
}
"""Settings of `text_vectorizer` by preset.

All split lower-cased text into words of two characters or more. The weights are (1 + ln tf) ln(N / df), of unit length,
throughout: the papers say "tf-idf" at most, and with these weights their figures come back.
"""


def preset_vectorizer(preset: str) -> Pipeline:
    """A vectorizer with a paper's settings.

    >>> from isthmus.text import preset_vectorizer
    >>> texts = ["the crashes", "it crashed", "no crash"]
    >>> preset_vectorizer("cdsc").fit(texts).get_feature_names_out().tolist()
    ['crash']
    """
    if preset not in PRESETS:
        raise ValueError(f"preset is {preset!r}: choose from {', '.join(PRESETS)}.")
    return text_vectorizer(**PRESETS[preset])
