"""Imports and exports files, in the formats of `programs`."""
