"""Why the engine ends reaches the user: it does not end before its words have been read."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Engine

LATE_S, TRIES = 0.5, 3


def test_it_ends_when_its_words_have_been_read(engine: Engine) -> None:
    """A launcher that sees the end first may drop the words."""
    command = [engine.path, "pingpong", "--sizes=nonsense"]
    for _ in range(TRIES):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as it:
            assert it.stderr is not None
            assert select.select([it.stderr], [], [], 60.0)[0]
            spoke = time.monotonic()
            time.sleep(LATE_S)
            waits = it.poll() is None
            late_s = time.monotonic() - spoke
            assert b"nonsense" in it.stderr.read()
        assert it.returncode == 2
        if waits or late_s < 2.0 * LATE_S:  # else this test was late itself
            break
    assert waits


@pytest.mark.long
def test_it_ends_where_nobody_reads(engine: Engine) -> None:
    command = [engine.path, "pingpong", "--sizes=nonsense"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.wait(timeout=60.0) == 2


NO_SLEEP = "#include <unistd.h>\nint nanosleep(void) { _exit(99); }\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
def test_it_waits_for_no_reader_of_a_file(engine: Engine, tmp_path: Path) -> None:
    """What others wrote after its words in the same file is not taken."""
    library, words = tmp_path / "no_sleep.so", tmp_path / "words"
    build = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(build, input=NO_SLEEP, text=True, check=True)
    words.write_text("of another rank\n" * 100)
    with words.open("r+b") as stderr:
        command = [engine.path, "pingpong", "--sizes=nonsense"]
        done = subprocess.run(command, stderr=stderr, env={"LD_PRELOAD": str(library)})
    assert done.returncode == 2
    assert words.read_text().startswith("hockney-engine: ")
