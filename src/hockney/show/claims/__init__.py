"""Shows published claims with their verdicts, and runs among published figures."""
