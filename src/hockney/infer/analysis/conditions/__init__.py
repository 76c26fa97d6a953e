"""The circumstances of a run: what disturbed it, what carried its messages, where ranks were."""
