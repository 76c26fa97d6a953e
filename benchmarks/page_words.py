"""How many words each kind of user reads before the first task is done: README, the user's page,
and what that page sends everybody to, of the working tree or of a commit, counted as wc does."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
READ = {
    "student": (),
    "application-developer": (),
    "tool-author": (),
    "mpi-developer": (),
    "administrator": ("docs/howto/acceptance.md",),
}
"""Pages beside README.md and docs/users/USER.md that a user cannot do without."""


def words(page: str, revision: str | None) -> int:
    if revision is None:
        return len((ROOT / page).read_text().split())
    command = ["git", "show", f"{revision}:{page}"]
    return len(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?")
    revision = parser.parse_args().revision
    for user, others in READ.items():
        pages = ("README.md", f"docs/users/{user}.md", *others)
        print(f"{user}: {sum(words(page, revision) for page in pages)}")


if __name__ == "__main__":
    main()
