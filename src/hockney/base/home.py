"""The user's own directories, which are not always known: a container may run as a number that no
list of users has, without HOME."""

from __future__ import annotations

import os
from pathlib import Path


def home_directory() -> Path:
    """This user's home. Raises FileNotFoundError where it is not known."""
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("HOME is not set, nor is this user known") from error


def user_directory(variable: str, in_home: str) -> Path:
    """The directory that a variable names, or else the one in the home (XDG Base Directory
    Specification). Raises FileNotFoundError where neither is known."""
    named = os.environ.get(variable)
    return Path(named) if named else home_directory() / in_home
