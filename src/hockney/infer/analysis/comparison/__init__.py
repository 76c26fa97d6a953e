"""Differences between runs and between variants: whether there is one, how large it is, and why."""
