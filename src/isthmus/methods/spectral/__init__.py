"""Spectral methods: eigenvectors of a graph of documents."""
