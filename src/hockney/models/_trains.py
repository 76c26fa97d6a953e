"""What a train of messages is, as the engine names it (docs/records.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hockney.errors import AskedWronglyError

_NUMBER = r"([0-9.e+-]+?)"
_DELAY = rf"{_NUMBER}\+{_NUMBER} ns"
_WORDS = re.compile(rf"n (\d+), send delay {_DELAY}, receive delay {_DELAY}")


@dataclass(frozen=True)
class Delay:
    seconds: float
    s_per_B: float = 0.0

    def at(self, bytes_: float) -> float:
        """Seconds of messages of that size."""
        return self.seconds + self.s_per_B * bytes_

    @property
    def words(self) -> str:
        """As the engine's --trains takes it."""
        return f"{self.seconds * 1e9:.9g}+{self.s_per_B * 1e9:.9g}"


NO_DELAY = Delay(0.0)
DELAYS_ALONE = 64
"""Send delays of a train without messages."""


@dataclass(frozen=True)
class Train:
    """So many messages, the sender waiting after each and the receiver before each, and an answer.
    Without messages it is DELAYS_ALONE send delays."""

    messages: int
    send: Delay = NO_DELAY
    receive: Delay = NO_DELAY

    @property
    def words(self) -> str:
        """As the engine's --trains takes it."""
        return f"{self.messages}:{self.send.words}:{self.receive.words}"


def train_of(algorithm: str | None) -> Train:
    """Reads "n 16, send delay 500+0.1 ns, receive delay 0+0 ns"."""
    found = _WORDS.fullmatch(algorithm or "")
    try:
        if not found:
            raise ValueError
        send, send_byte, receive, receive_byte = (float(found[i]) * 1e-9 for i in range(2, 6))
    except ValueError:
        raise AskedWronglyError(f"{algorithm!r} is no train of messages") from None
    return Train(int(found[1]), Delay(send, send_byte), Delay(receive, receive_byte))
