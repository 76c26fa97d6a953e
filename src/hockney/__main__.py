"""The command: it is ready for any signal before it loads the command line, which takes longest."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from hockney.base import endings
from hockney.base.limits import explained, spare_threads, why_too_little


def main() -> NoReturn:
    """Runs the command line; what the system refuses while it is loaded is said in one line."""
    from hockney import cli

    endings.install()
    too_little = why_too_little()
    if too_little is not None:
        _fail(too_little)
    spare_threads()
    try:
        cli.main()
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        words = explained(error)
        if words is None:
            raise
        _fail(words)


def _fail(words: str) -> NoReturn:
    os.write(2, f"hockney: {words}\n".encode())
    sys.exit(1)


if __name__ == "__main__":
    main()
