"""How fast the factorizations are, as ratios within one run: against plain updates, a pass over X, and other tools."""
