"""Shows what is slow: ranks, nodes and the parts of a network."""
