"""Asking: which MPI, which launcher, launch after launch of the engine."""
