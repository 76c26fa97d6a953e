"""Trains of messages in seconds, as models and the engine's --trains take them."""

from __future__ import annotations

from dataclasses import dataclass

from hockney.spec import axes as spec


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


@dataclass(frozen=True)
class Train:
    """So many messages, the sender waiting after each and the receiver before each, and an answer.
    Without messages it is one send delay."""

    messages: int
    send: Delay = NO_DELAY
    receive: Delay = NO_DELAY

    @property
    def words(self) -> str:
        """As the engine's --trains takes it."""
        return f"{self.messages}:{self.send.words}:{self.receive.words}"


def train_of(axis: spec.Train) -> Train:
    """The train that a point was measured with."""
    return Train(
        axis.messages,
        Delay(axis.send_delay_ns * 1e-9, axis.send_delay_ns_per_B * 1e-9),
        Delay(axis.receive_delay_ns * 1e-9, axis.receive_delay_ns_per_B * 1e-9),
    )
