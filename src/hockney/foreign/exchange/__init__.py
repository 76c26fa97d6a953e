"""Imports and exports, with the formats in `programs`."""
