"""What hockney finds by the entry points in pyproject.toml."""
