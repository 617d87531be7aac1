"""Methods that weight the source's documents."""
