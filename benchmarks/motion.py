"""A motion filter on target signals: `python -m benchmarks.motion --signals IN.npz --filter NAME --out OUT.npz`.

IN   target (s, t) [rad], one joint each; dt [s]; start (s,), at rest; lo, hi, velocity, acceleration, jerk (s,) [rad, rad/s, /s2, /s3]
OUT  position (s, t) after each step; seconds (s,) for a step, mean
"""

import argparse
import gc
import time

import numpy as np
from limber.motion import FILTERS, Character, Filter, Limits, make_filter

FIELDS = ("lo", "hi", "velocity", "acceleration", "jerk")


def follow(motion_filter: Filter, start: float, targets: list[float], dt: float) -> tuple[list[float], float]:
    """The position after each step, and the seconds that a step took, mean."""
    state = motion_filter.rest(start)
    states = []
    began = time.perf_counter()
    for target in targets:
        state = motion_filter.step(state, target, dt)
        states.append(state)
    took = time.perf_counter() - began
    return [state.position for state in states], took / max(len(targets), 1)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--signals", required=True)
    ask.add_argument("--filter", default="default", choices=sorted(FILTERS))
    ask.add_argument("--out", required=True)
    ask.add_argument("--sigma", type=float, default=0.0, help="character: smoothness, 0 to 1")
    ask.add_argument("--rho", type=float, default=0.0, help="character: responsiveness, 0 up to but not 1")
    asked = ask.parse_args()
    character = Character(asked.sigma, asked.rho)
    with np.load(asked.signals) as given:
        targets, starts, dt = given["target"].tolist(), given["start"].tolist(), float(given["dt"])
        limits = [Limits(*values) for values in zip(*(given[name].tolist() for name in FIELDS), strict=True)]
    gc.disable()  # its pauses belong to no one step
    followed = []
    for bounds, start, row in zip(limits, starts, targets, strict=True):
        followed.append(follow(make_filter(asked.filter, bounds, character), start, row, dt))
    position, seconds = (np.array(column) for column in zip(*followed, strict=True))
    np.savez(asked.out, position=position, seconds=seconds)
    print(f"{len(targets)} signals of {position.shape[1]} steps, filter `{asked.filter}`: {1e6 * np.median(seconds):.1f} us a step, median")


if __name__ == "__main__":
    main()
