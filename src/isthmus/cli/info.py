"""isthmus info."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from isthmus.cli import options as o

MOST_ARRAYS = 10


def info(
    model: o.Model,
    all_arrays: Annotated[bool, typer.Option("--all", help="List all arrays, not the largest alone.")] = False,
    as_json: o.AsJson = False,
) -> None:
    """Show what is in a model file, without loading it: classes, estimate, method, settings, versions, sizes.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    from pathlib import Path

    from isthmus.cli.console import output, print_json
    from isthmus.exceptions import DataError
    from isthmus.inspection.tables import plain_table
    from isthmus.io.models.header import read_header

    if not Path(model).is_file():
        raise DataError(f"{model} is no file: isthmus fit writes models.")
    header = read_header(model)
    if as_json:
        found = {"file": header.path, "bytes": header.size, **header.about, "arrays": header.arrays}
        print_json(found)
        return
    about, console = header.about, output()
    settings = ", ".join(f"{name}={value!r}" for name, value in about["settings"].items())
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    for line in (
        f"{model}: {header.size:,} bytes, schema {about.get('schema')}.",
        f"{about.get('model')} of {about.get('method')}({settings}).",
        f"Written with {versions}.",
        *_learned(about["learned"]),
        *([f"It reads texts with {_named(about['encoder'])}, which is not in it."] if about.get("encoder") else []),
        "",
    ):
        console.print(line, markup=False, soft_wrap=True)
    shown = header.arrays if all_arrays else header.arrays[:MOST_ARRAYS]
    rows = [
        [one["name"], one["type"], " x ".join(f"{length:,}" for length in one["shape"]), f"{one['bytes']:,}"]
        for one in shown
    ]
    console.print(plain_table(["array", "type", "shape", "bytes"], rows, right=["bytes"]))
    if len(shown) < len(header.arrays):
        console.print(f"And {len(header.arrays) - len(shown)} smaller ones; --all lists them.")


def _learned(found: dict[str, Any]) -> list[str]:
    """What was learned, as the file says; nothing, where that is not what isthmus writes."""
    from isthmus.auto.estimate import Estimate

    try:
        names = [repr(str(name)) for name in found["classes"]]
        more = f" and {found['n_classes'] - len(names):,} more" if found["n_classes"] > len(names) else ""
        lines = [f"Classes: {', '.join(names)}{more}."]
        if "target_texts" in found:
            known = f", {found['known_labels']:,} of them with a known label" if found["known_labels"] else ""
            lines.append(f"Learned from {found['target_texts']:,} target texts{known}.")
        if found.get("texts_read_as"):
            lines.append(f"Texts are read as {found['texts_read_as']}.")
        if "members" in found:
            estimate = Estimate(*map(float, found["estimated_accuracy"]))
            lines.append(f"Members: {', '.join(map(str, found['members']))}. Estimated accuracy {estimate}.")
    except (KeyError, TypeError, ValueError, OverflowError):
        return []
    return lines


def _named(encoder: Any) -> str:
    """A static encoder is named in the file, and others are not."""
    return f"the encoder {encoder.get('name')}" if isinstance(encoder, dict) else "an encoder"
