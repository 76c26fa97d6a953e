"""Shared by all models: curves, fits, lines and partitions."""
