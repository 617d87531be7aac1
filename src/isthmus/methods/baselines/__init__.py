"""Baselines: no adaptation at all."""
