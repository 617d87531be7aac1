"""What a model has learned, as people read it."""
