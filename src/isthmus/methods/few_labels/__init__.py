"""Methods that need a few labels of the target (semi-supervised)."""
