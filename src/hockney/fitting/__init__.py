"""What models share: the curve that they are fitted to, what a fit gives back, partitions."""
