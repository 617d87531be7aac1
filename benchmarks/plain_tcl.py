"""TCL's updates (eq. 5 to 8 of its paper) written straight down with scipy.sparse: the reference for speed."""

from __future__ import annotations

from typing import Any

import numpy as np

TINY = np.finfo(np.float64).tiny


def plain_tcl(
    X_s: Any,
    X_t: Any,
    V_s: np.ndarray,
    V_t: np.ndarray,
    U: np.ndarray,
    W_s: np.ndarray,
    W_t: np.ndarray,
    H: np.ndarray,
    a: float,
    n_iter: int,
) -> np.ndarray:
    """Classes of the target's documents after `n_iter` iterations from the given start. X is documents x words."""
    V_s, V_t, U, W_s, W_t, H = (np.array(factor) for factor in (V_s, V_t, U, W_s, W_t, H))
    for _ in range(n_iter):
        P_s, P_t = a * U + (1 - a) * W_s, a * U + (1 - a) * W_t
        U *= (X_s.T @ V_s @ H.T + X_t.T @ V_t @ H.T) / (
            P_s @ (H @ (V_s.T @ V_s) @ H.T) + P_t @ (H @ (V_t.T @ V_t) @ H.T) + TINY
        )
        U /= U.sum(axis=0)

        P_s, P_t = a * U + (1 - a) * W_s, a * U + (1 - a) * W_t
        W_s *= (X_s.T @ V_s @ H.T) / (P_s @ (H @ (V_s.T @ V_s) @ H.T) + TINY)
        W_s /= W_s.sum(axis=0)
        W_t *= (X_t.T @ V_t @ H.T) / (P_t @ (H @ (V_t.T @ V_t) @ H.T) + TINY)
        W_t /= W_t.sum(axis=0)

        P_s, P_t = a * U + (1 - a) * W_s, a * U + (1 - a) * W_t
        V_s *= (X_s @ (P_s @ H)) / (V_s @ (H.T @ (P_s.T @ P_s) @ H) + TINY)
        V_s /= V_s.sum(axis=1, keepdims=True)
        V_t *= (X_t @ (P_t @ H)) / (V_t @ (H.T @ (P_t.T @ P_t) @ H) + TINY)
        V_t /= V_t.sum(axis=1, keepdims=True)

        H *= (P_s.T @ (X_s.T @ V_s) + P_t.T @ (X_t.T @ V_t)) / (
            P_s.T @ P_s @ H @ (V_s.T @ V_s) + P_t.T @ P_t @ H @ (V_t.T @ V_t) + TINY
        )
    return V_t
