"""Slow nodes, switches, cables and pairs of a network, and what its links allow."""
