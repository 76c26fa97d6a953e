"""Columns of tables, the numbers in them, and their JSON."""
