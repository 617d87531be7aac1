"""Hostile inputs, made by the thousand: see __main__.py, and kill.py for commands that are ended in the middle."""
