"""Measure how MPI communicates, explain it by models, and put the answer to use."""

__version__ = "0.1.0"
