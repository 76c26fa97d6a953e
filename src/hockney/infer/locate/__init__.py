"""Finds the slow node, cable or uplink of a network in few rounds: which rounds to make, and how
likely each explanation of their times is. Pure functions of arrays, which need no MPI."""
