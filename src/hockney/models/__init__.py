"""What explains the numbers: one file a model, found by its name.

A model module has a function `fit(curve) -> Fit`.
"""
