"""Measures a plan: finds the MPI, builds the engine, launches it and stores the records."""
