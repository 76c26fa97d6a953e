"""Logs of other programs: their lines, the tables in them, and the runs that tables become."""
