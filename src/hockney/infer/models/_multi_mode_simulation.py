"""The multi-mode ping-pong as a discrete-event simulation.

The closed form takes all pairs to stay in lock-step. From three pairs on the first ones run ahead
with every phase (`_multi_mode_time`), and their times are those of this simulation.
"""

from __future__ import annotations

import heapq
from collections import deque


def simulated_T_b_s(
    x: float, n: int, p: int, B_r_Bps: float, T_l_s: float, C_bytes: float, kappa: float = 1.0
) -> float:
    """Time until all of p pairs have done n ping-pongs of x bytes each.

    Each direction serves the messages in it in turn, C_bytes of each; a direction moves B_r_Bps,
    and 1/kappa of it while both are in use. A message has arrived T_l_s after its last chunk left,
    and its answer sets out at once. A message that sets out precedes one that has just been served
    a chunk: the other way round even two pairs lose lock-step.
    """
    queues: tuple[deque[list[float]], ...] = (deque(), deque())
    left = [0.0, 0.0]  # seconds at B_r of the chunk that is served
    setting_out = [(0.0, number, 0, pair) for number, pair in enumerate(range(p))]
    delivered, serial, now, end = [0] * p, p, 0.0, 0.0

    def chunk_s(message: list[float]) -> float:
        return min(C_bytes, message[1]) / B_r_Bps

    while setting_out or queues[0] or queues[1]:
        busy = [direction for direction in (0, 1) if queues[direction]]
        slower = kappa if len(busy) == 2 else 1.0
        events = [now + left[direction] * slower for direction in busy]
        events += [setting_out[0][0]] if setting_out else []
        later = min(events)
        for direction in busy:
            left[direction] -= (later - now) / slower
        now = later
        while setting_out and setting_out[0][0] <= now * (1.0 + 1e-12):
            _, _, direction, pair = heapq.heappop(setting_out)
            queues[direction].append([float(pair), x])
            if len(queues[direction]) == 1:
                left[direction] = chunk_s(queues[direction][0])
        for direction in busy:
            if left[direction] > 1e-12:
                continue
            message = queues[direction].popleft()
            message[1] -= min(C_bytes, message[1])
            if message[1] > 0.0:
                queues[direction].append(message)
            else:
                pair = int(message[0])
                delivered[pair] += 1
                end = max(end, now + T_l_s)
                if delivered[pair] < 2 * n:
                    heapq.heappush(setting_out, (now + T_l_s, serial, 1 - direction, pair))
                    serial += 1
            if queues[direction]:
                left[direction] = chunk_s(queues[direction][0])
    return end
