"""What was worked out of result files, kept in an SQLite database: thousands of files are answered
from it at once. database.py is the index; every other module is one kind of what it keeps."""

from hockney.infer.index.database import NAME, OFF, Index, ResultKind

__all__ = ["NAME", "OFF", "Index", "ResultKind"]
