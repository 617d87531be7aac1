"""Model selection without target labels, and active learning."""
