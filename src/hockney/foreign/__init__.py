"""Other programs: their logs, formats and presets."""
