"""Shows the course of many runs: history, watch, and what Prometheus takes of it."""
