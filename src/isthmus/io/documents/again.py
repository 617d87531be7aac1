"""Columns of files that need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isthmus.io.documents.reading import open_documents


class FileColumn:
    """The texts of a file, or another role of its documents: read anew each time one goes through them.

    `options` are those of `open_documents`. Ids and labels are reached as "id" and "label".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isthmus.io.documents import FileColumn
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "new.csv")
    >>> _ = path.write_text("body\\nit crashes\\nno refund\\n")
    >>> texts = FileColumn(path)
    >>> len(texts), list(texts), list(texts)
    (2, ['it crashes', 'no refund'], ['it crashes', 'no refund'])
    >>> folder.cleanup()
    """

    def __init__(self, path: Any, role: str = "text", length: int | None = None, **options: Any) -> None:
        self._path, self._role, self._length, self._options = str(path), role, length, options

    def __iter__(self) -> Iterator[Any]:
        with open_documents(self._path, **self._options) as file:
            for document in file:
                yield getattr(document, self._role)

    def __len__(self) -> int:
        if self._length is None:
            self._length = sum(1 for _ in self)
        return self._length
