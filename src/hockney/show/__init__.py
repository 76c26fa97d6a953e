"""What people and programs see: tables, figures, layouts of the classic programs, JSON."""
