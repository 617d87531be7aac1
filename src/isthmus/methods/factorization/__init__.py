"""Matrix factorization methods."""
