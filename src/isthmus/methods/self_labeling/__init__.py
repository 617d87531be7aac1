"""Methods that learn from pseudo-labels of the target."""
