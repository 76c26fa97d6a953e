"""Logs of other programs: lines, tables, and the runs made of them."""
