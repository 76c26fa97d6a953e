"""Ranks models by how well they fit, and predicts the time of patterns of messages."""
