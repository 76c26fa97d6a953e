"""Finds the MPI and builds the engine with it."""
