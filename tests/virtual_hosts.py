"""Hosts of one machine that have a network, a name, processes and shared memory of their own, made
of namespaces: what is wrong with a node can be planted in one of them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import hockney

NEEDED = ("ip", "nsenter", "unshare", "mount")
NETWORK = "10.81.0"
LOGIN = "login"
INIT = "echo ready; while :; do sleep 1 & wait; done"
"""The first process of a host buries the others."""
RSH = r"""#!/bin/bash
# What ssh is elsewhere: `rsh [OPTIONS] HOST COMMAND...`. It waits for a host that does not answer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
while [[ ${1:-} == -* ]]; do shift; done
host=$1
shift
[[ -e $here/$host.net ]] || { echo "rsh: unknown host $host" >&2; exit 255; }
if [[ $(uname -n) == login ]]; then
    # The port of ssh, where nothing listens: refused at once by a host that is there.
    address=$(cat "$here/$host.address")
    said=$( (exec 3<>"/dev/tcp/$address/22") 2>&1) || [[ $said == *refused* ]] || {
        echo "rsh: $host does not answer" >&2
        exit 255
    }
fi
own=()
[[ $host == login ]] || own=("--pid=$here/$host.pid")
exec nsenter --net="$here/$host.net" --uts="$here/$host.uts" "${own[@]}" \
    unshare --mount --propagation private sh -c '
    { [ "$2" = login ] || mount -t proc proc /proc; } && mount --bind "$1/$2.shm" /dev/shm &&
        mount --bind "$1/$2.hosts" /etc/hosts && mount --bind "$1/$2.resolver" /etc/resolv.conf &&
        . "$1/$2.before" && exec sh -c "$3"
' rsh "$here" "$host" "$*"
"""


def why_not() -> str | None:
    """Why this machine has no such hosts; None if it has."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = ["unshare", "--net", "--uts", "--pid", "--mount", "--fork", "true"]
    if os.getuid() != 0 or subprocess.run(tried, capture_output=True).returncode:
        return "namespaces need root"
    return None


@dataclass
class VirtualHosts:
    state: Path
    names: Sequence[str]
    env: dict[str, str] = field(default_factory=dict)
    switch: int = 0
    """The process that holds the network between them."""

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """Starts a command on the host `login`, in this directory."""
        where = shlex.quote(str(Path.cwd()))
        return subprocess.Popen(
            [str(self.state / "rsh"), LOGIN, f"cd {where} && exec {shlex.join(words)}"],
            env={**os.environ, **self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def on(self, host: str, script: str) -> None:
        """Runs a shell script on a host."""
        subprocess.run([str(self.state / "rsh"), host, script], check=True)

    def slow_down(self, host: str, way: str, rate: str = "100mbit") -> None:
        """Limits what a host sends ("out") or receives ("in")."""
        pipe = f"root tbf rate {rate} burst 64kb latency 400ms"
        if way == "out":
            self.on(host, f"tc qdisc add dev net {pipe}")
        else:
            _in_net(self.switch, f"tc qdisc add dev {host} {pipe}")

    def before(self, host: str, script: str) -> None:
        """A shell script that is part of each login on a host."""
        (self.state / f"{host}.before").write_text(script)

    def engines(self, host: str) -> list[int]:
        """Process ids of engines on a host, as this machine has them."""
        own = (self.state / f"{host}.pid").stat().st_ino
        pids = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "ns/pid").stat().st_ino != own:
                    continue
                if (process / "comm").read_text().startswith("hockney-engine"):
                    pids.append(int(process.name))
        return sorted(pids)


@contextmanager
def virtual_hosts(count: int = 3) -> Iterator[VirtualHosts]:
    """Hosts n1, n2, ... on one network, and `login`, from which they are reached and which sees the
    processes of all, as it must to start some there. They are removed at the end."""
    names = [f"n{number}" for number in range(1, count + 1)] + [LOGIN]
    state = Path(tempfile.mkdtemp(prefix="hockney-hosts-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, state, ignore_errors=True)
        (state / "rsh").write_text(RSH)
        (state / "rsh").chmod(0o755)
        listed = [f"{NETWORK}.{number} {name}" for number, name in enumerate(names, 1)]
        text = "127.0.0.1 localhost\n" + "\n".join(listed) + "\n"
        switch = stack.enter_context(_held("--net"))
        _in_net(switch, "ip link add switch type bridge && ip link set switch up")
        for number, name in enumerate(names, 1):
            kinds = ("--net", "--uts") if name == LOGIN else ("--net", "--uts", "--pid")
            pid = stack.enter_context(_held(*kinds, "--fork", "--kill-child"))
            for kind in kinds:
                file = state / f"{name}.{kind[2:]}"
                file.touch()
                _run("mount", "--bind", f"/proc/{pid}/ns/{kind[2:]}", str(file))
                stack.callback(_run, "umount", "--lazy", str(file))
            (state / f"{name}.shm").mkdir()
            _run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(state / f"{name}.shm"))
            stack.callback(_run, "umount", "--lazy", str(state / f"{name}.shm"))
            (state / f"{name}.address").write_text(f"{NETWORK}.{number}")
            (state / f"{name}.hosts").write_text(text)
            (state / f"{name}.resolver").write_text("")
            (state / f"{name}.before").write_text("")
            _run("nsenter", f"--uts={state}/{name}.uts", "hostname", name)
            _in_net(
                switch,
                f"ip link add {name} type veth peer name net netns {pid} && "
                f"ip link set {name} master switch && ip link set {name} up",
            )
            _in_net(
                pid,
                f"ip link set lo up && ip addr add {NETWORK}.{number}/24 dev net && "
                "ip link set net up",
            )
        env = {
            "PYTHONPATH": str(Path(hockney.__file__).parents[1]),
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(state / "rsh"),
            "MPIR_CVAR_CH4_NETMOD": "ofi",
            "FI_PROVIDER": "tcp",
        }
        yield VirtualHosts(state, names[:-1], env, switch)


@contextmanager
def _held(*kinds: str) -> Iterator[int]:
    """Namespaces of these kinds, by the process that is the first in them."""
    command = ["unshare", *kinds, "bash", "-c", INIT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield int(children[0]) if "--fork" in kinds else process.pid
    finally:
        process.kill()
        process.wait()


def _in_net(pid: int, script: str) -> None:
    _run("nsenter", f"--target={pid}", "--net", "sh", "-c", script)


def _run(*words: str) -> None:
    subprocess.run(words, check=True)
