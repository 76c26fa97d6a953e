"""Profiles of programs: which calls of MPI they made, and what these took.

The recorder (recorder/) writes a file for each rank (layout.py), from which a profile is made
(collect.py): a file of JSON Lines (kinds.py), which everything else reads.
"""
