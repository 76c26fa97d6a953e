"""Measures one plan: launch after launch, until it is precise enough or the budget is spent."""
