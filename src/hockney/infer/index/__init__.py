"""Results of result files, kept in an SQLite database that answers queries over thousands of files
at once.

database.py is the index; every other module is one kind of result."""

from hockney.infer.index.database import NAME, OFF, Index, ResultKind

__all__ = ["NAME", "OFF", "Index", "ResultKind"]
