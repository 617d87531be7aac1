"""Methods that add features which both domains share."""
