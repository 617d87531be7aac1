"""What a server takes at the most, and reading requests within it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request

from isthmus.io.documents import without_lone_surrogates

LONGEST_ID = 200


class RequestError(Exception):
    """A request that cannot be answered: a status, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """Sizes and times. What is beyond them is refused at once."""

    body: int = 16 << 20
    """Bytes of a request."""
    documents: int = 5_000
    """Documents of a request."""
    waiting: int = 20_000
    """Documents of all requests that wait."""
    requests: int = 1_000
    """Requests that are worked on or wait."""
    seconds: float = 10.0
    """That a request may take."""


@dataclass(frozen=True)
class Question:
    """Documents of a request."""

    ids: list[str | None]
    texts: list[str]


async def read_object(request: Request, limits: Limits) -> dict[str, Any]:
    """The JSON object that a request brings."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limits.body:
                raise RequestError(413, f"A request may have {limits.body:,} bytes: send fewer documents at a time.")
    except ClientDisconnect:
        raise RequestError(400, "The request ended early.") from None
    request.state.has_arrived = True
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(400, "Send one JSON object, in UTF-8.") from None
    if not isinstance(found, dict):
        raise RequestError(400, "Send one JSON object.")
    return found


def read_question(found: dict[str, Any], limits: Limits) -> Question:
    """`documents`: a list of texts, or of objects with `text` and perhaps `id`."""
    documents = found.get("documents")
    if not isinstance(documents, list) or not documents:
        raise RequestError(422, "documents must be a list of texts, or of objects with text, one at least.")
    if len(documents) > limits.documents:
        raise RequestError(422, f"A request may have {limits.documents:,} documents: send them in several.")
    ids, texts = [], []
    for number, one in enumerate(documents):
        name = one.get("id") if isinstance(one, dict) else None
        text = one.get("text") if isinstance(one, dict) else one
        if not isinstance(text, str):
            raise RequestError(422, f"documents[{number}] has no text: give a string, or an object with text.")
        if name is not None and (not isinstance(name, str) or len(name) > LONGEST_ID):
            raise RequestError(
                422, f"documents[{number}] has an id that is no string of up to {LONGEST_ID} characters."
            )
        ids.append(None if name is None else without_lone_surrogates(name))
        texts.append(without_lone_surrogates(text))
    return Question(ids, texts)


def whole_number(value: Any) -> int | None:
    """An integer as JSON has it, where 5.0 is one as well; None for anything else."""
    value = int(value) if type(value) is float and value.is_integer() else value
    return value if type(value) is int else None
