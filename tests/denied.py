"""Runs a command to which the kernel refuses some system calls, as containers do:
python tests/denied.py CALL[,CALL...] COMMAND..."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"process_vm_readv": 310, "process_vm_writev": 311, "sched_setaffinity": 203},
    "aarch64": {"process_vm_readv": 270, "process_vm_writev": 271, "sched_setaffinity": 122},
}
"""Numbers of the calls (linux, unistd.h)."""
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def can_deny() -> bool:
    """Whether this machine's calls are in the table."""
    return sys.platform == "linux" and platform.machine() in NUMBERS


def deny(calls: list[str]) -> None:
    """Refuses the calls with EPERM to this process and all that it starts."""
    instructions = [(LOAD_WORD, 0, 0, 0)]  # the call's number is the first word
    for call in calls:
        instructions.append((JUMP_IF_EQUAL, 0, 1, NUMBERS[platform.machine()][call]))
        instructions.append((RETURN, 0, 0, ERRNO | errno.EPERM))
    instructions.append((RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    kept = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0),
    ):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), f"prctl{words[:2]}")


if __name__ == "__main__":
    deny(sys.argv[1].split(","))
    os.execvp(sys.argv[2], sys.argv[2:])
