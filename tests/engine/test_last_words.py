"""Why the engine ends reaches the user: it does not end before its words have been read."""

from __future__ import annotations

import select
import subprocess
import time

from conftest import Engine

LATE_S = 0.5


def test_it_ends_when_its_words_have_been_read(engine: Engine) -> None:
    """A launcher that sees the end first may drop the words."""
    command = [engine.path, "pingpong", "--sizes=nonsense"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], 60.0)[0]
        time.sleep(LATE_S)
        assert process.poll() is None
        assert b"nonsense" in process.stderr.read()
    assert process.returncode == 2


def test_it_ends_where_nobody_reads(engine: Engine) -> None:
    command = [engine.path, "pingpong", "--sizes=nonsense"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.wait(timeout=60.0) == 2
