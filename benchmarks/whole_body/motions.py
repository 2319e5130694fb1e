"""Motions for the tables, generated on the body that follows them: standing, walking and running, with exact
velocities.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from limber.solvers.kinematics.se3 import exponential
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.state import at_rest, since

DT = 1.0 / 60.0  # [s] duration of a step
WIDEST = 1.2  # [rad] farthest angle of a joint from zero, unless joints shall exceed their limits
# kind -> frequency of the gait [Hz], amplitude as a share of half the range, speed of the base [m/s]
KINDS = {"static": (0.0, 0.35, 0.0), "walking": (0.9, 0.35, 1.1), "running": (1.4, 0.7, 2.8)}


def motion(
    body: Body, links: Sequence[str], base: str, kind: str, steps: int, seed: int = 0, beyond: float = 0.0
) -> dict[str, np.ndarray]:
    """Targets as `benchmarks.whole_body` reads them, and the joints (t, n) that made them.

    Every joint swings about the middle of its range, within `WIDEST`, at the gait's frequency and at twice
    that; the base moves ahead, bobs and sways. "static" is one pose. With `beyond` [rad] joints swing over up
    to their whole range and by at most so much beyond their limits, so that limits can be tested.
    """
    frequency, size, speed = KINDS[kind]
    draw = np.random.default_rng(seed)
    lower, upper = body.lower - beyond, body.upper + beyond
    if beyond:
        size = 1.0
    else:
        lower, upper = np.maximum(lower, -WIDEST), np.minimum(upper, WIDEST)
    middle, half = 0.5 * (lower + upper), 0.5 * size * (upper - lower)
    phase, share = draw.uniform(0.0, 2.0 * np.pi, (2, len(body))), draw.uniform(0.3, 1.0, len(body))
    rows = body.link_indices(links)
    states = []
    for k in range(steps + 1):  # including a step before the first, for its velocity
        phase_angle = 2.0 * np.pi * frequency * (k - 1) * DT
        swing = 0.8 * np.sin(phase_angle + phase[0]) + 0.2 * np.sin(2.0 * phase_angle + phase[1])
        rotation = exponential(
            np.array(
                [0.05 * np.sin(phase_angle), 0.03 * np.sin(2.0 * phase_angle), 0.1 * np.sin(phase_angle)]
            )
        )
        position = np.array(
            [speed * (k - 1) * DT, 0.02 * np.sin(phase_angle), 1.0 + 0.03 * np.sin(2.0 * phase_angle)]
        )
        states.append(at_rest(body, np.clip(middle + half * share * swing, lower, upper), rotation, position))
    rotation, spin, move = [], [], []
    for before, state in pairwise(states):
        velocity = since(state, before, DT)
        rotation.append(body.placed(state.frames, rows)[:, :3, :3])
        spin.append(body.moved_by[body.carriers[rows]] @ (state.frames.angular * velocity[:, None]))
        move.append(velocity[:3])
    return {
        "links": np.array(links),
        "rotation": np.array(rotation),
        "angular_velocity": np.array(spin),
        "base_link": np.array(base),
        "base_position": np.array([state.base_position for state in states[1:]]),
        "base_velocity": np.array(move),
        "dt": np.array(DT),
        "joints": np.array([state.joints for state in states[1:]]),
    }
