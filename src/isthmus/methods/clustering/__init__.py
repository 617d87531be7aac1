"""Methods that cluster the target and name the clusters."""
