from __future__ import annotations

import subprocess
from collections.abc import Sequence

import pytest

from hockney.run.schedulers import JobState, pbs

# What OpenPBS 23.06 says of a job, without -x and with it: stdout and stderr.
RUNNING = ("    job_state = R\n    substate = 42\n", "")
OVER = ("", "qstat: 1.pbs Job has finished, use -x or -H to obtain historical job information\n")
WELL = ("    job_state = F\n    Exit_status = 0\n", "")
TOO_LONG = ("    job_state = F\n    Exit_status = -29\n", "")
UNKNOWN = ("", "qstat: Unknown Job Id 1.pbs\n")
NO_HISTORY = ("", "qstat: PBS is not configured to maintain job history 1.pbs\n")
AWAY = ("", "Connection refused\nqstat: cannot connect to server pbs (errno=15010)\n")


@pytest.mark.parametrize(
    ("going", "history", "state"),
    [
        (RUNNING, NO_HISTORY, JobState("running", well=True)),
        (OVER, WELL, JobState("finished", ended=True, well=True)),
        (OVER, TOO_LONG, JobState("failed, exit status -29", ended=True)),
        (UNKNOWN, NO_HISTORY, JobState("gone", ended=True, well=True)),
        (AWAY, AWAY, JobState("unknown")),
        (OVER, AWAY, JobState("unknown")),
    ],
)
def test_a_job_has_ended_only_where_pbs_says_so(
    monkeypatch: pytest.MonkeyPatch,
    going: tuple[str, str],
    history: tuple[str, str],
    state: JobState,
) -> None:
    def answer(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, *(history if "-x" in command else going))

    monkeypatch.setattr(pbs, "answer", answer)
    assert pbs.state("1.pbs") == state
