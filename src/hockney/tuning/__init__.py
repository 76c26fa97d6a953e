"""Decision rules for the user's MPI: which, and whether the library takes them.

The formats of rules belong to the families of MPI (mpis/).
"""
