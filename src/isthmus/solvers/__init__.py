"""The mathematics. Each is usable alone."""
