"""Asking a question of a machine: find its MPI, build the engine, launch it, keep the records."""
