"""Inference: estimates with intervals, models fitted to them, predictions, conclusions."""
