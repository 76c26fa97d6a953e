"""The words of `hockney explain`."""

from __future__ import annotations

import pytest

from hockney.show.comparison.explanation_lines import command_text

OF_THE_FILE = [
    ["-o", "run.jsonl"],
    ["-orun.jsonl"],
    ["--output", "run.jsonl"],
    ["--output=run.jsonl"],
    ["--label=here"],
    ["--label", "-o"],
    ["--resume", "run.jsonl"],
]


@pytest.mark.parametrize("words", OF_THE_FILE)
def test_a_command_to_repeat_names_no_file_of_its_own(words: list[str]) -> None:
    command = ["/bin/hockney", "pairs", *words, "--operation=exchange", "-n", "4"]
    assert command_text(command) == "hockney pairs --operation=exchange -n 4"


@pytest.mark.parametrize("words", [["-qorun.jsonl"], ["-qo", "run.jsonl"], ["-q", "-o=run.jsonl"]])
def test_flags_before_the_file_are_kept(words: list[str]) -> None:
    assert command_text(["hockney", "pairs", *words, "-n", "4"]) == "hockney pairs -q -n 4"
