"""Reads logs of other programs: lines, tables, and the runs made from them."""
