"""What a figure is (description.py), and its two renderers: files for papers (files.py) and the
report's page (page.py, figure.js)."""
