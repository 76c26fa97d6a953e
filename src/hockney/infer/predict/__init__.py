"""Ranks models by fit, and predicts the time of patterns of messages."""
