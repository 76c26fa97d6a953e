"""What is shown of a run of any experiment: its heading, answer, tables and fits."""
