"""Shows the course of many runs: history, watch, and what other programs take of it."""
