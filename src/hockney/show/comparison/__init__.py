"""Shows runs and variants beside each other, and what explains their difference."""
