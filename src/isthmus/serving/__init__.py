"""Models put to work over HTTP."""

from isthmus.serving.app import serving_app
from isthmus.serving.batching import Batcher, QueueFullError
from isthmus.serving.limits import Limits
from isthmus.serving.served import ServedModel

__all__ = ["Batcher", "Limits", "QueueFullError", "ServedModel", "serving_app"]
