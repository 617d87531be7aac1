"""Draw all examples, and write the page that shows them.

python examples/gallery.py [NAME...]
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PICTURES, PAGE = HERE.parent / "docs" / "gallery", HERE.parent / "docs" / "gallery.md"
NAMES = [
    "bridge", "label_shift", "reliability", "twenty_labels", "words_and_embeddings", "eigenspace", "correspondence",
    "several_sources", "drift", "many_documents", "compose",
]  # fmt: skip
HEAD = """# Gallery

`make gallery` draws these pictures: on newsgroups where `$ISTHMUS_DATA` has them, else on the embedded messages, or on
documents that are made.
Each script runs by itself, too: `python examples/gallery.py bridge`.
"""


def page() -> str:
    """A heading, a picture, its point and the script, for each example."""
    parts = [HEAD]
    for name in NAMES:
        title, _, text = inspect.getdoc(importlib.import_module(name)).partition("\n\n")
        parts.append(
            f"## {title}\n\n![{title}](gallery/{name}.png)\n\n{text}\n\n[examples/{name}.py](../examples/{name}.py)\n"
        )
    return "\n".join(parts)


def main(names: list[str]) -> None:
    """Write the pictures of these examples, and the page."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or NAMES:
        figure = importlib.import_module(name).draw()
        figure.savefig(PICTURES / f"{name}.png", metadata={"Software": None})
        plt.close(figure)
        print(PICTURES / f"{name}.png", flush=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main(sys.argv[1:])
