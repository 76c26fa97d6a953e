"""Stands for a launcher: speaks as the real one does, refuses any option that it does not have, and
starts the ranks with a real mpiexec ($STAND_IN_MPIEXEC). It is called by its name, as KINDS lists.

The words and options are those of the launchers' sources and manuals."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    program: str
    version: str
    count: tuple[str, ...]
    """Options for the number of ranks."""
    valued: tuple[str, ...] = ()
    """Other options with a value."""
    flags: tuple[str, ...] = ()
    banner: str = ""
    """What it prints on stdout before and after the program."""
    on_stderr: bool = False
    """Whether the version goes to stderr."""
    takes_hosts: bool = False
    """Whether hosts and variables stand before the program (mpirun_rsh)."""


KINDS = {
    "pals": Kind(
        "mpiexec",
        "mpiexec version 1.2.12 revision 13b1e8e built Fri Jan 19 2024\n",
        ("-n", "-np"),
        ("--ppn", "-ppn", "--hosts", "--hostfile", "--cpu-bind", "--env"),
    ),
    "aprun": Kind("aprun", "aprun (ALPS) 6.6.67\n", ("-n",), ("-N", "-L", "-l", "-cc", "-e")),
    "pals_aprun": Kind("aprun", "", ("-n",), ("-N", "-L", "--cc", "-e")),
    "jsrun": Kind(
        "jsrun",
        "",
        ("--np", "-p"),
        ("--nrs", "--rs_per_host", "--tasks_per_rs", "--cpu_per_rs", "--bind"),
    ),
    "lrun": Kind("lrun", "", ("-n",), ("-N", "-T"), ("--nolbind",)),
    "mpirun_rsh": Kind("mpirun_rsh", "Version: mvapich2-2.3.7\n", ("-np",), takes_hosts=True),
    "mpiexec_mpt": Kind("mpiexec_mpt", "", ("-np", "-n"), ("-ppn",)),
    "parastation": Kind(
        "mpiexec", "mpiexec 5.1.62-1\n", ("-n", "-np"), ("-ppn", "-H", "-f"), ("-F",), "", True
    ),
    "fujitsu": Kind("mpiexec", "mpiexec (FUJITSU MPI) 4.0.1\n", ("-n", "-np"), ("-x",)),
    "ibrun": Kind("ibrun", "", ("-n",), ("-o",), banner="TACC:  Starting up job 42"),
    "standard": Kind("mpiexec", "Acme runner 7\n", ("-n",)),
}


def main() -> int:
    kind = KINDS[os.environ["STAND_IN"]]
    words = sys.argv[1:]
    if words == ["--version"]:
        print(kind.version, end="", file=sys.stderr if kind.on_stderr else sys.stdout)
        return 0 if kind.version else 1
    options: dict[str, str] = {}
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in kind.flags:
            options[option] = ""
        elif option in (*kind.count, *kind.valued):
            options[option] = words.pop(0)
        else:
            print(f"{kind.program}: unknown option {option}", file=sys.stderr)
            return 64
    ranks = next((options[name] for name in kind.count if name in options), None)
    if ranks is None:  # jsrun's sets of resources
        ranks = str(int(options["--nrs"]) * int(options["--tasks_per_rs"]))
    if kind.takes_hosts:
        hosts, words = words[: int(ranks)], words[int(ranks) :]
        options["hosts"] = ",".join(hosts)
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            os.environ[name] = value
    Path(os.environ["STAND_IN_LOG"]).write_text(json.dumps(options))
    mpiexec = [os.environ["STAND_IN_MPIEXEC"], "-n", ranks, *words]
    if not kind.banner:
        os.execv(mpiexec[0], mpiexec)
    print(kind.banner, flush=True)
    status = os.spawnv(os.P_WAIT, mpiexec[0], mpiexec)
    print("TACC:  Shutdown complete. Exiting.", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
