"""Algorithms of collectives: the best, what is predicted, and ranks that complete late."""
