"""Languages, told by their most frequent words; scripts, by their letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from isthmus.quality.findings import Finding, Part, documents_are, make_finding
from isthmus.quality.tokens import Tokens
from isthmus.text.segmentation import scripts_of

WORDS = {
    "English": "the and of to is that it for was with this you not have are but they from which",
    "German": "der die und das ist nicht ein eine ich sie mit den auf für von dem zu sich auch wir",
    "French": "le les et des est une que dans pour pas qui sur je il vous nous avec au ce sont",
    "Spanish": "el los las y que es en una por con para del no se lo pero muy más su como",
    "Italian": "il di che è non per una sono con del della le gli anche più ma questo si mi come",
    "Portuguese": "o os que não é em um uma para da dos mas muito mais por eu são ao foi isso",
    "Dutch": "het een en van is dat niet de ik voor met zijn op te er maar ook aan je wij",
    "Polish": "w nie na się jest że z jak ale tak po od czy już są tylko przez dla był jego",
    "Swedish": "och att det är en som inte jag på för med av ett har den till om var men så",
}
"""None of another language that English texts are full of: Polish has i, to and do, Portuguese as, do and com."""
LEAST = 3
"""Frequent words that a document must have, and twice as many as of any other language."""
SHARE = 0.02
"""Of the documents, from which on a second language is more than a quotation."""


def languages_of(texts: Sequence[str], tokens: Tokens) -> list[str | None]:
    """The language of each text, or its script where that is not the Latin one; None if it is not clear."""
    counts = np.array(
        [
            tokens.count_among({tokens.vocabulary[word] for word in words.split() if word in tokens.vocabulary})
            for words in WORDS.values()
        ]
    )
    order = np.sort(counts, axis=0)
    clear = (order[-1] >= LEAST) & (order[-1] >= 2 * order[-2])
    names = list(WORDS)
    best = counts.argmax(axis=0).tolist()
    return [
        names[number] if is_clear else _script(text)
        for text, number, is_clear in zip(texts, best, clear.tolist(), strict=True)
    ]


def _script(text: str) -> str | None:
    """The script of most letters, if it is not the Latin one, which many languages have."""
    if text[:200].isascii():
        return None
    script, share = next(iter(scripts_of([text[:200]]).items()), ("Latin", 0.0))
    return f"{script} script" if script != "Latin" and share > 0.5 else None


def find_languages(parts: Sequence[Part], tokens: Tokens) -> Iterator[Finding]:
    """Documents that are not in the language of most, or of the most among those that can be told."""
    languages = languages_of([text for part in parts for text in part.texts], tokens)
    counts = Counter(language for language in languages if language is not None)
    if len(counts) < 2:
        return
    main, n_main = counts.most_common(1)[0]
    n_all = len(languages)
    most = "most documents of all files" if 2 * n_main > n_all else f"{n_main:,} of the {n_all:,} that were looked at"
    start = 0
    for part in parts:
        own = languages[start : start + len(part.texts)]
        start += len(part.texts)
        for language, n in Counter(own).most_common():
            if language not in (None, main) and n >= max(2, SHARE * len(own)):
                what = documents_are(n, f"seems to be {language}", f"seem to be {language}")
                places = [part.place(row) for row, other in enumerate(own) if other == language]
                seen = f"{what}, and {most} {main}"
                yield make_finding("languages", part.name, seen, places)
