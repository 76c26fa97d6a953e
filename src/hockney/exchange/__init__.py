"""What `import` reads and `export` writes; the formats themselves are in `programs`."""
