"""Starts and watches one launch, on all its nodes, and says why it failed or hangs."""
