"""What models share: curves, fits, lines and partitions."""
