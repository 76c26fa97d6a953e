"""What `import` reads and `export` writes, by the formats in `programs`."""
