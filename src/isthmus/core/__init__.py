"""What every method stands on: problem, solution, estimator. Knows no method."""
