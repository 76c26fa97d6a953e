"""Checks what else uses the CPUs now."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hockney.base.units import how_many, tenth_percent, whole_percent
from hockney.plan.placement import parse_cpus
from hockney.run.measure.doctor.cpus import CPU, allowed_list
from hockney.run.measure.doctor.finding import Judged, cannot_tell, check
from hockney.run.measure.machine.environment import text_of
from hockney.run.measure.machine.processes import process_directories

LOOK_S = 0.2
"""Time between two readings of counters that tick every 10 ms or less."""
BUSY, TAKEN = 0.10, 0.50
"""Fractions of the allowed CPUs' time: disturbed, and so busy that ranks must share CPUs."""
BUSY_LOAD = 0.5
"""Running processes per CPU over the last minute."""
STOLEN = 0.01
"""Fraction of the time that a hypervisor gave to other guests."""
IDLE, IOWAIT, STEAL, COUNTED = 3, 4, 7, 8
"""Columns of a CPU in /proc/stat (proc(5)); later columns are included in the first ones."""
CULPRITS, LEAST_TICKS = 3, 2
"""Most processes that are named, each with at least so many ticks between the readings."""


@check("busy CPUs")
def busy_cpus(root: Path) -> Judged:
    """How much of the allowed CPUs other processes use, and which."""
    before = _ticks_of_processes(root)
    fractions = _busy_and_stolen(root)
    if fractions is None:
        return cannot_tell("/proc/stat")
    busy = fractions[0]
    fact = f"{whole_percent(busy)} of the allowed CPUs' time"
    if busy <= BUSY:
        return "ok", fact
    after = _ticks_of_processes(root)
    took = sorted(((after[who] - before.get(who, after[who])), who) for who in after)
    culprits = [who for ticks, who in reversed(took[-CULPRITS:]) if ticks >= LEAST_TICKS]
    return (
        "bad" if busy > TAKEN else "warn",
        f"{fact} is in use" + (f" by {', '.join(culprits)}" if culprits else ""),
        "stop these processes, or measure later; on a shared node ask for the whole node "
        "(Slurm: --exclusive)",
    )


def _ticks_of_processes(root: Path) -> dict[str, int]:
    """Clock ticks that each other process has used so far, in user and system mode."""
    ticks = {}
    for process in process_directories(root):
        before, _, fields = (text_of(process / "stat") or "").rpartition(") ")
        words = fields.split()
        if len(words) > 12 and process.name != str(os.getpid()):
            name = before.partition("(")[2]
            ticks[f"{name} (pid {process.name})"] = int(words[11]) + int(words[12])
    return ticks


def _busy_and_stolen(root: Path) -> tuple[float, float] | None:
    """Busy and stolen fractions of the allowed CPUs' time between two readings; None if unknown."""
    before = _ticks_of_cpus(root)
    time.sleep(LOOK_S)
    after = _ticks_of_cpus(root)
    if not before or len(before) != len(after):
        return None
    spent = [last - first for first, last in zip(before, after, strict=True)]
    total = sum(spent)
    if total <= 0:
        return None
    busy = total - spent[IDLE] - spent[IOWAIT] - spent[STEAL]
    return busy / total, spent[STEAL] / total


def _ticks_of_cpus(root: Path) -> list[int]:
    """Columns of /proc/stat, summed over the allowed CPUs."""
    allowed = allowed_list(root)
    ours = {f"cpu{cpu}" for cpu in parse_cpus(allowed)} if allowed else {"cpu"}
    rows = [line.split() for line in (text_of(root / "proc/stat") or "").splitlines()]
    counted = [row[1 : COUNTED + 1] for row in rows if len(row) > COUNTED and row[0] in ours]
    return [sum(map(int, column)) for column in zip(*counted, strict=True)]


@check("load average")
def load_average(root: Path) -> Judged:
    """The load of the last minute, which includes processes that run intermittently."""
    words = (text_of(root / "proc/loadavg") or "").split()
    online = text_of(root / CPU / "online")
    if not words or not online:
        return cannot_tell(f"/proc/loadavg or /{CPU}/online")
    count = len(parse_cpus(online))
    fact = f"{words[0]} over the last minute, on {how_many(count, 'CPU')}"
    if float(words[0]) <= BUSY_LOAD * count:
        return "ok", fact
    return (
        "warn",
        fact,
        "look for short-lived processes with top; wait a minute if they have just ended",
    )


@check("stolen time")
def stolen_time(root: Path) -> Judged:
    """The time that the hypervisor gave to other guests while we were ready to run."""
    fractions = _busy_and_stolen(root)
    if fractions is None:
        return cannot_tell("/proc/stat")
    fact = tenth_percent(fractions[1])
    if fractions[1] <= STOLEN:
        return "ok", fact
    return (
        "warn",
        f"{fact} of the time goes to the host's other guests",
        "measure when they are idle, or on dedicated cores (pinned vCPUs)",
    )
