"""The description of the server, for programs."""

from __future__ import annotations

from typing import Any

from isthmus import __version__
from isthmus.serving.limits import LONGEST_ID, Limits

STATUSES = {
    400: "No JSON object.",
    404: "No such model.",
    408: "The request did not arrive in time.",
    413: "Too large.",
    422: "JSON of another shape.",
    429: "Too much waits: try again.",
    500: "The model failed.",
    503: "It took too long.",
}


def describe(limits: Limits, needs_token: bool) -> dict[str, Any]:
    """OpenAPI 3.1."""
    document = {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "id": {"type": ["string", "null"], "maxLength": LONGEST_ID},
                    "text": {"type": "string"},
                },
            },
        ]
    }
    many = {"type": "array", "items": document, "minItems": 1, "maxItems": limits.documents}
    label_body = {"type": "object", "required": ["documents"], "properties": {"documents": many}}
    words = {"type": "integer", "minimum": 1, "maximum": 100}
    explain_body = {
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string"}, "words": words},
    }
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "isthmus", "version": __version__},
        "paths": {
            "/v1/label": {"post": _posted("Label documents with the first model.", label_body, LABELS)},
            "/v1/models": {"get": _got("The models.", MODELS)},
            "/v1/models/{name}/label": {
                "post": _posted("Label documents.", label_body, LABELS) | {"parameters": [name]}
            },
            "/v1/models/{name}/explain": {
                "post": _posted("The words that decided a label.", explain_body, WORDS) | {"parameters": [name]}
            },
            "/healthz": {"get": _got("Whether it runs.", {"type": "object"})},
            "/readyz": {"get": _got("Whether it can label.", {"type": "object"})},
        },
    }
    if needs_token:
        described["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        described["security"] = [{"token": []}]
    return described


SHARES = {"type": "object", "additionalProperties": {"type": "number"}}
LABELS = {
    "type": "object",
    "required": ["model", "results"],
    "properties": {
        "model": {"type": "string"},
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["label", "confidence", "probabilities"],
                "properties": {
                    "id": {"type": ["string", "null"]},
                    "label": {"type": "string"},
                    "confidence": {"type": "number"},
                    "probabilities": SHARES,
                },
            },
        },
    },
}
WORDS = {
    "type": "object",
    "required": ["model", "label", "words"],
    "properties": {"model": {"type": "string"}, "label": {"type": "string"}, "words": SHARES},
}
MODELS = {
    "type": "object",
    "required": ["models"],
    "properties": {"models": {"type": "array", "items": {"type": "object"}}},
}
ERROR = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _got(what: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"summary": what, "responses": {"200": {"description": what, "content": _content(schema)}}}


def _posted(what: str, body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    refused = {str(status): {"description": why, "content": _content(ERROR)} for status, why in STATUSES.items()}
    return {
        "summary": what,
        "requestBody": {"required": True, "content": _content(body)},
        "responses": {"200": {"description": what, "content": _content(answer)}, **refused},
    }
