"""Finds decision rules for the user's MPI, and checks that the library uses them.

The MPI families (mpis/) define the formats.
"""
