"""Shows what disturbed a run, and what carried its messages."""
