"""Topics as a bridge: words of the source on the left bank, of the target on the right, the common ones between.

Here are the places of things; `bridge.html.j2` turns them into SVG, for the page and for notebooks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from unicodedata import east_asian_width

from isthmus.inspection.topics import Topic, Topics, Words
from isthmus.typing import DomainName

MOST_TOPICS = 12
LINE, PAD, GAP, TOP, MARGIN = 20.0, 8.0, 14.0, 30.0, 10.0
THICKEST, THINNEST = 15.0, 1.5
LETTER, CAPITAL, BROAD = 7.4, 10.0, 13.2
"""How wide letters are, generously: fonts differ. Broad are m and w, and the signs of East Asia."""

WHERE = ("words of the source", "common words", "words of the target")

Describe = Callable[[str], str]
"""What else is known about a word, as the end of a sentence."""


@dataclass(frozen=True)
class Shape:
    """How wide things are, in pixels."""

    width: float
    bank: float
    node: float
    n_words: int

    @property
    def left(self) -> float:
        """Where the left bank ends."""
        return self.bank

    @property
    def middle(self) -> float:
        return self.width / 2

    @property
    def right(self) -> float:
        """Where the right bank begins."""
        return self.width - self.bank

    @property
    def pier_left(self) -> float:
        return self.middle - self.node / 2

    def room(self, part: int) -> float:
        """How wide a word may be: on the left, in the middle, on the right."""
        return self.node - 2 * MARGIN if part == 1 else self.bank - MARGIN


WIDE = Shape(width=960, bank=190, node=200, n_words=5)
NARROW = Shape(width=336, bank=94, node=100, n_words=4)
NOTEBOOK = Shape(width=720, bank=150, node=160, n_words=3)


@dataclass(frozen=True)
class PlacedWord:
    """A word, its ribbon or bar, and what to say about it."""

    text: str
    says: str
    x: float
    y: float
    anchor: str
    path: str


@dataclass(frozen=True)
class Pier:
    """A topic: its box in the middle and its words."""

    name: str
    note: str
    color: int
    x: float
    y: float
    width: float
    height: float
    title: str
    words: list[PlacedWord]


@dataclass(frozen=True)
class Bridge:
    """A drawing."""

    width: float
    height: float
    banks: tuple[float, float, float]
    """Where the left bank ends, the middle, and where the right bank begins."""
    piers: list[Pier]
    hidden: int
    """Topics that are not shown."""
    has_common: bool
    by_class: bool


def draw_bridge(
    topics: Topics,
    colors: dict[Any, int],
    targets: Collection[DomainName],
    shape: Shape = WIDE,
    describe: Describe = lambda word: "",
    by_class: bool = False,
) -> Bridge:
    """Place the topics one below the other. `colors` numbers the classes."""
    clearest = sorted(range(len(topics)), key=lambda number: -_clarity(topics[number]))[:MOST_TOPICS]
    shown = [(number + 1, _sides(topics[number], targets, shape.n_words)) for number in sorted(clearest)]
    heaviest = [max((weight for _, sides in shown for _, weight in sides[part]), default=1.0) for part in range(3)]
    piers: list[Pier] = []
    y = TOP
    for number, sides in shown:
        topic = topics[number - 1]
        name = str(topic.label)
        kind = name if by_class else f"topic {number}, {name}"
        height = max(len(sides[0]), len(sides[2]), len(sides[1]) + 1) * LINE + 2 * PAD
        widths = [
            [max(THINNEST, THICKEST * weight / heaviest[part]) for _, weight in side] for part, side in enumerate(sides)
        ]
        words = [
            PlacedWord(
                text=_shortened(word, shape.room(part)),
                says=f"{word}: weight {weight:.2g} among the {WHERE[part]} of {kind}{describe(word)}.",
                x=(shape.left - MARGIN, shape.middle, shape.right + MARGIN)[part],
                y=round(at, 1),
                anchor=("end", "middle", "start")[part],
                path=path,
            )
            for part, side in enumerate(sides)
            for (word, weight), (at, path) in zip(side, _places(part, widths[part], y, height, shape), strict=True)
        ]
        note = "" if by_class or _clarity(topic) > 0.995 else f"{_clarity(topic):.0%}"
        fits = _width(f"{name} {note}") <= shape.room(1)
        piers.append(
            Pier(
                name=_shortened(name, shape.room(1)),
                note=note if fits else "",
                color=colors.get(topic.label, 0),
                x=shape.pier_left,
                y=round(y, 1),
                width=shape.node,
                height=height,
                title=kind if by_class else f"{kind}, {_clarity(topic):.0%} of which stands for {name}",
                words=words,
            )
        )
        y += height + GAP
    return Bridge(
        width=shape.width,
        height=round(y - GAP + PAD, 1),
        banks=(shape.left, shape.middle, shape.right),
        piers=piers,
        hidden=len(topics) - len(shown),
        has_common=any(sides[1] for _, sides in shown),
        by_class=by_class,
    )


def _clarity(topic: Topic) -> float:
    """The share of a topic that stands for its class."""
    return max(topic.association.values())


def _places(part: int, widths: list[float], y: float, height: float, shape: Shape) -> Iterator[tuple[float, str]]:
    """For each word of one side of a pier: the height of its line, and its ribbon or bar."""
    if part == 1:
        for line, width in enumerate(widths):
            at = y + PAD + LINE * (line + 1.5)  # below the topic's name
            yield at, _bar(shape.middle, at, (shape.node - 2 * MARGIN) * width / THICKEST)
        return
    at = y + (height - LINE * len(widths) + LINE) / 2
    joint = y + (height - sum(widths)) / 2
    edge, end = (shape.left, shape.pier_left) if part == 0 else (shape.right, shape.pier_left + shape.node)
    for width in widths:
        yield at, _ribbon(edge, at, end, joint, width)
        at += LINE
        joint += width


def _sides(topic: Topic, targets: Collection[DomainName], n_words: int) -> tuple[Words, Words, Words]:
    """Words of all sources, in common, and of all targets."""
    banks: tuple[dict[str, float], dict[str, float]] = {}, {}
    for name, words in topic.specific.items():
        bank = banks[name in targets]
        for word, weight in words:
            bank[word] = bank.get(word, 0) + weight
    one_each = len(topic.specific) == 2  # then the order is the topic's own: the most telling word first
    source, target = (
        list(bank.items()) if one_each else sorted(bank.items(), key=lambda pair: -pair[1]) for bank in banks
    )
    return source[:n_words], topic.common[:n_words], target[:n_words]


def _ribbon(x0: float, y0: float, x1: float, y1: float, width: float) -> str:
    """From a word, centred at y0, to its place at the pier, which begins at y1."""
    bend = (x0 + x1) / 2
    top, bottom, end = y0 - width / 2, y0 + width / 2, y1 + width
    return (
        f"M{x0:.1f} {top:.1f}C{bend:.1f} {top:.1f} {bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
        f"V{end:.1f}C{bend:.1f} {end:.1f} {bend:.1f} {bottom:.1f} {x0:.1f} {bottom:.1f}Z"
    )


def _bar(x: float, y: float, width: float) -> str:
    """Beneath a common word."""
    return f"M{x - width / 2:.1f} {y + 6.8:.1f}h{width:.1f}v2.5h{-width:.1f}Z"


def _width(text: str) -> float:
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in "mwMW%@…" or east_asian_width(letter) in "WF":
        return BROAD
    return CAPITAL if letter.isupper() else LETTER


def _shortened(text: str, room: float) -> str:
    """As much of a text as there is room for."""
    if _width(text) <= room:
        return text
    widths = accumulate(map(_letter_width, text), initial=_width("…"))
    return text[: sum(width <= room for width in widths) - 1] + "…"
