"""Verdicts: of a run or suite, and of a published claim."""
