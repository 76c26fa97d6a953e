"""Finds the signal that killed a rank, in what its launcher reports."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

OF_CLEANUP = (signal.SIGTERM, signal.SIGKILL)
"""Signals by which launchers end the other ranks after the first has died. An exit status with
the first alone shows nothing: launchers also end ranks by it that gave up."""
NUMBERED = re.compile(r"signal:? (\d+)\b|received signal SIG\w+ ?\((\d+)\)", re.IGNORECASE)
"""Hydra's "(signal 7)", PRRTE's "exited on signal 7 (Bus error)", Intel's "KILLED BY SIGNAL: 7",
PALS's "died from signal 6", MPT's "received signal SIGSEGV(11)"."""
SHELLS = 128
"""What shells, PRRTE, Slurm and Flux add to the signal's number for their exit status."""


def exit_words(exit_status: int, lines: Sequence[str]) -> str:
    """How a launcher ended, and the signal that killed a rank if there was one."""
    if exit_status < 0:
        return f"killed by signal {-exit_status}"
    killer = signal_of(exit_status, lines)
    words = f"exit status {exit_status}"
    return f"a rank was killed by {killer.name} ({words})" if killer else words


def signal_of(exit_status: int, lines: Sequence[str]) -> signal.Signals | None:
    """The signal that killed a rank, else one that ended another in the cleanup; None without
    one. The text counts before the status, which may be that of several ranks together."""
    text = " ".join(" ".join(lines).split())  # PRRTE breaks its line before the number
    numbers = [int(number or other) for number, other in NUMBERED.findall(text)]
    named = [
        Signal for Signal in signal.Signals if f": {signal.strsignal(Signal)}" in text
    ]  # Slurm
    known = {Signal.value: Signal for Signal in signal.Signals}
    signals = [*(known[number] for number in numbers if number in known), *named]
    if not signals and exit_status - SHELLS in known.keys() - {signal.SIGTERM}:
        signals = [known[exit_status - SHELLS]]
    return next(
        (killer for killer in signals if killer not in OF_CLEANUP), next(iter(signals), None)
    )
