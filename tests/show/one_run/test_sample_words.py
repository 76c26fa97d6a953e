"""Definitions of samples in plain words."""

from __future__ import annotations

import pytest

from hockney.show.one_run.sample_words import sample_words


@pytest.mark.parametrize(
    ("recorded", "plain"),
    [
        (
            "batch over 2k, larger of two ranks, returned buffers",
            "time of k round trips, divided by 2k, on the slower of the two ranks, "
            "each message is sent back from the buffer in which it arrived",
        ),
        (
            "half of one round trip, first rank, clock cost subtracted, separate buffers",
            "half of one round trip, on the first rank, clock cost subtracted, "
            "sent from one buffer, received into another",
        ),
        ("mean of another program", "mean of another program"),
    ],
)
def test_terms_of_the_engine_become_plain_words(recorded: str, plain: str) -> None:
    assert sample_words(recorded) == plain
