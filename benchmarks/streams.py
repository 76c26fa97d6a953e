"""Runs a command while so many TCP connections of this host send as fast as they can:
streams.py CONNECTIONS COMMAND..."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import suppress

CHUNK = bytes(1 << 20)


def send(to: socket.socket) -> None:
    with suppress(OSError):
        while True:
            to.sendall(CHUNK)


def receive(from_: socket.socket) -> None:
    while from_.recv(len(CHUNK)):
        pass


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    for _ in range(int(sys.argv[1])):
        sending = socket.create_connection(listening.getsockname())
        receiving, _ = listening.accept()
        threading.Thread(target=send, args=(sending,), daemon=True).start()
        threading.Thread(target=receive, args=(receiving,), daemon=True).start()
    sys.exit(subprocess.run(sys.argv[2:]).returncode)


if __name__ == "__main__":
    main()
