"""Shows results to people and programs: tables, figures, layouts of the classic programs, JSON."""
