from . import documents, matrices, models

__all__ = ["documents", "matrices", "models"]
