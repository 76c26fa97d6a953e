"""Trains of messages, by which LogGP's parameters are measured."""

from __future__ import annotations

import msgspec

from hockney.plan.bounds import Whole

Delay = tuple[float, float]
"""Nanoseconds, and nanoseconds per byte."""


class Train(msgspec.Struct, frozen=True, order=True):
    """Messages in a row and one answer. The sender waits after each message, the receiver before
    each. A train without messages measures the send delay alone, on both ranks."""

    messages: Whole
    send_delay_ns: float = 0.0
    send_delay_ns_per_B: float = 0.0
    receive_delay_ns: float = 0.0
    receive_delay_ns_per_B: float = 0.0

    @property
    def send_delay(self) -> Delay:
        return self.send_delay_ns, self.send_delay_ns_per_B

    @property
    def receive_delay(self) -> Delay:
        return self.receive_delay_ns, self.receive_delay_ns_per_B

    def __str__(self) -> str:
        """The train as the engine's --trains takes it."""
        return f"{self.messages}:{_delay_text(self.send_delay)}:{_delay_text(self.receive_delay)}"


def delay_s(delay: Delay, bytes_: float) -> float:
    """The delay of messages of that size, in seconds."""
    return delay[0] * 1e-9 + delay[1] * 1e-9 * bytes_


def _delay_text(delay: Delay) -> str:
    return f"{delay[0]:.9g}+{delay[1]:.9g}"


def train_text(train: Train) -> str:
    send, receive = _delay_text(train.send_delay), _delay_text(train.receive_delay)
    return f"n {train.messages}, send delay {send} ns, receive delay {receive} ns"
