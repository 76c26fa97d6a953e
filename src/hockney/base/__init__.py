"""What every room stands on: errors, units, endings, files that are written whole, registries."""
