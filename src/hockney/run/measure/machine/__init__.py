"""This machine, its container and simulated machines, and what cannot be measured on them."""
