"""Basic parts that every package uses: errors, units, endings, whole-file output, registries."""
