"""Measures motion filters: their output for target signals, the time in which they settle, and their error
when they follow targets.

    python -m benchmarks.motion --signals IN.npz --filter NAME --out OUT.npz
    python -m benchmarks.motion --settle
    python -m benchmarks.motion --follow

IN   target (s, t) [rad], one row for each joint; dt [s]; start (s,) [rad], at rest; lo, hi, velocity,
     acceleration, jerk (s,) [rad, rad, rad/s, rad/s2, rad/s3]
OUT  position (s, t) [rad] after each step; seconds (s,), mean time of a step
"""

import argparse
import gc
import time
from math import pi, radians, sqrt

import numpy as np
from limber.motion import FILTERS, Filter, Kinematic, Limits, MotionStyle, make_filter

FIELDS = ("lo", "hi", "velocity", "acceleration", "jerk")
SETTLE_LIMITS = (
    "180 deg/s, 900 deg/s2, 9000 deg/s3",
    Limits(-radians(120), radians(120), radians(180), radians(900), radians(9000)),
)
SETTLE_STEPS = (90.0, 5.0, 0.1)  # [degrees] sizes of the target's steps
SETTLE_DT = 0.001  # [s] time step
SETTLED = radians(0.05)  # [rad] distance from the target within which a joint has settled
STYLES = (  # filter, sigma, rho: `sigma` and `rho` of `MotionStyle`
    ("default", 0.0, 0.0),
    ("default", 0.5, 0.0),
    ("default", 0.5, 0.5),
    ("default", 1.0, 0.0),
    ("default", 1.0, 0.9),
    ("nutty", 0.0, 0.0),
    ("nutty", 0.5, 0.0),
    ("nutty", 0.5, 0.9),
    ("nutty", 1.0, 0.0),
)


def follow(motion_filter: Filter, start: float, targets: list[float], dt: float) -> tuple[list[float], float]:
    """The filter's position [rad] after each step, and the mean time of a step [s]."""
    state = motion_filter.rest(start)
    states = []
    began = time.perf_counter()
    for target in targets:
        state = motion_filter.step(state, target, dt)
        states.append(state)
    duration = time.perf_counter() - began
    return [state.position for state in states], duration / max(len(targets), 1)


def shortest_time(distance: float, limits: Limits) -> float:
    """Shortest time [s] from rest to rest over `distance` [rad]: the standard symmetric profile of seven
    phases of constant jerk, by cases.
    """
    distance, v, a, j = abs(distance), limits.velocity, limits.acceleration, limits.jerk
    if distance * j * j < 2.0 * a**3:  # the acceleration limit is not reached
        v = min(v, (distance * distance * j / 4.0) ** (1.0 / 3.0))
    else:
        v = min(v, sqrt(distance * a + (a * a / (2.0 * j)) ** 2) - a * a / (2.0 * j))
    if v == 0.0:
        return 0.0
    change = v / a + a / j if v * j >= a * a else 2.0 * sqrt(v / j)
    return distance / v + change


def settle(motion_filter: Filter, distance: float, dt: float = SETTLE_DT) -> tuple[float, float, float]:
    """Time [s] from rest until the position remains within .05 degrees of the target, time [s] until it is
    exactly at rest, and the overshoot [rad].
    """
    state, steps, away, over = motion_filter.rest(0.0), 0, 0, 0.0
    while (state.position, state.velocity, state.acceleration) != (distance, 0.0, 0.0):
        state = motion_filter.step(state, distance, dt)
        steps += 1
        over = max(over, state.position - distance)
        if abs(state.position - distance) > SETTLED:
            away = steps
    return (away + 1) * dt, steps * dt, over


def print_settling() -> None:
    name, limits = SETTLE_LIMITS
    print(
        f"Seconds from rest until within .05 degrees | until exactly at rest; limits {name}; every"
        f" {1000 * SETTLE_DT:g} ms"
    )
    print(f"{'filter':24s}" + "".join(f"{step:>10g} deg" + " " * 6 for step in SETTLE_STEPS))
    print(
        f"{'time-optimal':24s}"
        + "".join(f"{'':8s}| {shortest_time(radians(step), limits):8.4f}  " for step in SETTLE_STEPS)
    )
    for kind, sigma, rho in STYLES:
        motion_filter = make_filter(kind, limits, MotionStyle(sigma, rho))
        row = [settle(motion_filter, radians(step)) for step in SETTLE_STEPS]
        cells = "".join(f"{near:8.3f}| {rest:8.3f}  " for near, rest, _ in row)
        print(
            f"{f'{kind} sigma {sigma:g} rho {rho:g}':24s}{cells}"
            + ("overshoots" if max(over for *_, over in row) > 1e-12 else "")
        )


def targets_to_follow(dt: float) -> dict[str, list[np.ndarray]]:
    """Several targets [rad] of each kind, by its name, over 8 s at steps of `dt` [s]; "sine 0.7" takes at
    most .7 of the limits of velocity, acceleration and jerk.
    """
    _, limits = SETTLE_LIMITS
    dice = np.random.default_rng(0)
    t = np.arange(round(8.0 / dt)) * dt
    kinds: dict[str, list[np.ndarray]] = {}
    for share in (0.3, 0.7, 0.95, 2.0, 5.0):
        for frequency in (0.2, 0.5, 1.0, 2.0):
            w = 2.0 * pi * frequency
            amplitude = share * min(limits.velocity / w, limits.acceleration / w**2, limits.jerk / w**3, 1.5)
            kinds.setdefault(f"sine {share:g}", []).append(amplitude * np.sin(w * t))
    for _ in range(4):
        kinds.setdefault("noise .1 deg", []).append(0.3 + radians(0.1) * dice.normal(size=len(t)))
        kinds.setdefault("noise 5 deg", []).append(0.3 + radians(5.0) * dice.normal(size=len(t)))
        kinds.setdefault("random walk", []).append(
            np.clip(np.cumsum(dice.normal(size=len(t))) * 3.0 * dt, -2.0, 2.0)
        )
    kinds["ramps"] = [np.minimum(radians(speed) * t, 1.5) for speed in (10.0, 20.0, 40.0)]
    return kinds


def print_following() -> None:
    name, limits = SETTLE_LIMITS
    motion_filter = make_filter("default", limits)
    print(
        "Error of the default filter / of going to where the target is by time-optimal ways, root mean"
        " squares from 1 s on:"
    )
    print(f"mean (worst); limits {name}")
    rates = (24, 30, 60, 100)
    print(f"{'':14s}" + "".join(f"{rate:>13d} Hz" for rate in rates))
    rows: dict[str, list[str]] = {}
    for rate in rates:
        for kind, targets in targets_to_follow(1.0 / rate).items():
            ratios = [
                lag(motion_filter, target.tolist(), 1.0 / rate, True)
                / lag(motion_filter, target.tolist(), 1.0 / rate, False)
                for target in targets
            ]
            rows.setdefault(kind, []).append(f"{np.mean(ratios):8.2f} ({max(ratios):4.2f}) ")
    for kind, cells in rows.items():
        print(f"{kind:14s}" + "".join(cells))


def lag(motion_filter: Filter, targets: list[float], dt: float, watching: bool) -> float:
    """Root mean square distance [rad] to the target without the first second; `watching`: whether the filter
    knows the targets of earlier steps, from which it estimates the target's motion.
    """
    state = motion_filter.rest(targets[0])
    apart = []
    for target in targets:
        start = state if watching else Kinematic(state.position, state.velocity, state.acceleration)
        state = motion_filter.step(start, target, dt)
        apart.append(state.position - target)
    return float(np.sqrt(np.mean(np.square(apart[round(1.0 / dt) :]))))


def run_signals(signals: str, name: str, out: str, style: MotionStyle) -> None:
    with np.load(signals) as signal_file:
        targets, starts, dt = (
            signal_file["target"].tolist(),
            signal_file["start"].tolist(),
            float(signal_file["dt"]),
        )
        limits = [
            Limits(*values) for values in zip(*(signal_file[field].tolist() for field in FIELDS), strict=True)
        ]
    gc.disable()  # so that no step contains a pause of the garbage collector
    followed = []
    for bounds, start, row in zip(limits, starts, targets, strict=True):
        followed.append(follow(make_filter(name, bounds, style), start, row, dt))
    position, seconds = (np.array(column) for column in zip(*followed, strict=True))
    np.savez(out, position=position, seconds=seconds)
    print(
        f"{len(targets)} signals of {position.shape[1]} steps, filter `{name}`:"
        f" {1e6 * np.median(seconds):.1f} us a step, median"
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--signals")
    ask.add_argument("--filter", default="default", choices=sorted(FILTERS))
    ask.add_argument("--out")
    ask.add_argument("--sigma", type=float, default=0.0, help="style: smoothness, 0 to 1")
    ask.add_argument("--rho", type=float, default=0.0, help="style: responsiveness, 0 up to but not 1")
    ask.add_argument(
        "--settle", action="store_true", help="print how long steps take to settle, filter by filter"
    )
    ask.add_argument("--follow", action="store_true", help="print how well moving targets are followed")
    options = ask.parse_args()
    if not (options.settle or options.follow or (options.signals and options.out)):
        ask.error("give --signals IN.npz and --out OUT.npz, or --settle, or --follow")
    if options.signals and options.out:
        run_signals(options.signals, options.filter, options.out, MotionStyle(options.sigma, options.rho))
    if options.settle:
        print_settling()
    if options.follow:
        print_following()


if __name__ == "__main__":
    main()
