"""Makes what the launches of a plan need, and says what they lack."""
