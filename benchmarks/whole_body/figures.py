"""Draws Figures 5 and 3 of Rapetti et al. 2020, and the time of a step against the number of joints.

    python -m benchmarks.whole_body.figures --urdf FILE [--out build/bench/whole_body]

convergence.png: from joints at zero to a still pose, for gains from none to one that diverges (Figure 5).
limit.png: angle against speed of a joint whose target exceeds its limit, with the tanh of eq. 12 and with
exact limits (Figure 3). growth.png: time of a step for synthetic trees of 20 to 500 joints, with an
orientation target on every third link; the figures are printed too.
"""

import argparse
import os
import time
from pathlib import Path
from statistics import median

import matplotlib as mpl
import numpy as np
from limber.robots import reading
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.kinematics.tree import BASE
from limber.solvers.limits import JointState, usual_limits
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import at_rest
from limber.solvers.whole_body.targets import Contact, Target, Values

from . import robot
from .motions import DT, motion
from .printed import PaperLaw, TanhLimit
from .table import tracked_links

mpl.use("Agg")  # renders without a screen
from matplotlib import pyplot as plt

# [1/s] gains K; at 60 Hz 60 corrects the whole error in a step, and 120 or more diverges
GAINS = (0.0, 1.0, 5.0, 20.0, 60.0, 150.0)
STEPS = 90  # number of steps whose errors are drawn
JOINTS = (20, 50, 100, 200, 350, 500)  # numbers of joints of the synthetic trees
ROUNDS = 7  # number of measurements of growth, of which the fastest counts, since other programs may run
LIMB = 12  # number of joints between two branchings of the synthetic trees, as in an arm
WAVES = 3  # [s] duration of the motion of the joint that swings beyond its limits
REACH, SPEED = 0.6, 2.0  # limits of this joint: [rad], [rad/s]
DOTS = 110  # resolution [dots per inch]


def convergence(urdf: Path, path: Path) -> None:
    """Draws Figure 5: the orientation error MNTE (eq. 14) over time, for each gain."""
    tree = build_tree(reading.read(urdf))
    body, links = robot.body(tree), tracked_links(tree)
    arrays = motion(body, links, tree.root, "static", 1)
    values = Values(arrays["rotation"][0], arrays["base_position"])
    figure, axes = plt.subplots(figsize=(7, 4))
    for gain in GAINS:
        law = PaperLaw(gain, enforce_stability=False)
        solver = WholeBody(
            body,
            [*map(Target, links), Target(tree.root, "position")],
            WholeBodyOptions(law, damping_by_error=0.0),
        )
        state, errors = solver.start(base_position=arrays["base_position"][0]), []
        for _ in range(STEPS):
            angles = solver.missed(values, state)[0]
            errors.append((1.0 - np.cos(angles)).mean())  # eq. 14: tr(I - R' R_target) / 2
            _, state = solver.step(values, state, DT)
        axes.semilogy(np.arange(STEPS) * DT, np.maximum(errors, 1e-16), label=f"K = {gain:g} / s")
    axes.set_xlabel("time, s")
    axes.set_ylabel("MNTE")
    axes.legend(loc="center right")
    figure.savefig(path, dpi=DOTS, bbox_inches="tight")
    plt.close(figure)


def at_a_limit(path: Path) -> None:
    """Draws Figure 3: a hinge whose target swings to twice its limits."""
    body = Body(
        [Joint("elbow", -1, IDENTITY, (0.0, 0.0, 0.0), X, -REACH, REACH)],
        [End(0, name="hand")],
        floating=False,
    )
    target_angles = 2.0 * REACH * np.sin(2.0 * np.pi * np.arange(0.0, WAVES, DT) / WAVES * 2.0)
    figure, axes = plt.subplots(figsize=(7, 4))
    for label, limits in (("eq. 12", (TanhLimit(SPEED),)), ("exact", usual_limits(SPEED))):
        solver = WholeBody(body, [Target("hand")], WholeBodyOptions(limits=limits))
        state, points = solver.start(), []
        for angle in target_angles:
            goal = body.placed(body.forward(np.array([angle])), body.link_indices(["hand"]))[:, :3, :3]
            before = state.joints[0]
            _, state = solver.step(Values(goal), state, DT)
            points.append((before, state.velocity[BASE]))
        axes.plot(*np.degrees(np.array(points)).T, ".-", label=label)
    angles = np.linspace(-REACH, REACH, 200)
    lower, upper = TanhLimit(SPEED).bounds(
        JointState(angles, np.zeros(200), np.full(200, -REACH), np.full(200, REACH)), DT
    )
    for label, ends in (("bounds of eq. 12", lower), ("", upper)):
        axes.plot(np.degrees(angles), np.degrees(ends - angles) / DT, "k--", linewidth=1, label=label)
    axes.set_xlabel("angle before the step, deg")
    axes.set_ylabel("speed, deg/s")
    axes.legend()
    figure.savefig(path, dpi=DOTS, bbox_inches="tight")
    plt.close(figure)


def made_tree(count: int) -> Body:
    """A tree of limbs of 12 hinges, three at each position, each limb attached to the end of an earlier
    one.
    """
    joints, links = [], [End(-1, name="base")]
    for k in range(count):
        limb, index_in_limb = divmod(k, LIMB)
        parent = k - 1 if index_in_limb else (LIMB * ((limb - 1) // 2) + LIMB - 1 if limb else -1)
        joints.append(
            Joint(
                f"joint {k}", parent, IDENTITY, (0.0, 0.0, 0.0 if k % 3 else 0.2), (X, Y, Z)[k % 3], -2.0, 2.0
            )
        )
        if k % 3 == 2:
            links.append(End(k, name=f"link {k // 3}"))
    return Body(joints, links)


def step_ms(body: Body, contacts: int) -> float:
    """Median time of a step [ms] for a wave motion with a number of links held."""
    names = list(body.links)
    solver = WholeBody(body, [*map(Target, names), Target("base", "position")])
    rows, state, times = body.link_indices(names), solver.start(), []
    phase, held_links = (
        np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, len(body)),
        names[len(names) - contacts :],
    )
    for k in range(60):
        goal = at_rest(body, 0.3 * np.sin(2.0 * k * DT + phase), np.eye(3), np.zeros(3))
        rotations = body.placed(goal.frames, rows)[:, :3, :3]
        if k == 1:  # bent, since stretched limbs cannot move
            positions = (
                body.placed(state.frames, body.link_indices(held_links))[:, :3, 3] + state.base_position
            )
        values = Values(
            rotations,
            np.zeros((1, 3)),
            contacts=tuple(map(Contact, held_links, positions)) if contacts and k else (),
        )
        began = time.process_time()
        _, state = solver.step(values, state, DT)
        times.append(1e3 * (time.process_time() - began))
    return median(times)


def growth(path: Path) -> list[str]:
    """Draws the median time of a step by the number of joints, free and with two links held, in the fastest
    of several measurements; returns the lines of a table.
    """
    bodies = [made_tree(count) for count in JOINTS]
    costs = {
        label: np.min([[step_ms(body, contacts) for body in bodies] for _ in range(ROUNDS)], axis=0)
        for label, contacts in (("no contact", 0), ("two contacts", 2))
    }
    lines = [f"| joints | {' | '.join(f'{label}, ms' for label in costs)} |", "|---|---|---|"]
    for count, *row in zip(JOINTS, *costs.values(), strict=True):
        lines.append(f"| {count} | {' | '.join(f'{each:.3f}' for each in row)} |")
    figure, axes = plt.subplots(figsize=(7, 4))
    for label, curve in costs.items():
        axes.plot(JOINTS, curve, "o-", label=label)
    axes.set_xlabel("joints")
    axes.set_ylabel("a step, ms")
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=DOTS, bbox_inches="tight")
    plt.close(figure)
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, required=True)
    ask.add_argument(
        "--out", type=Path, default=Path("build/bench/whole_body"), help="folder of the pictures"
    )
    options = ask.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    convergence(options.urdf, options.out / "convergence.png")
    at_a_limit(options.out / "limit.png")
    print("\n".join(growth(options.out / "growth.png")))
    print(f"pictures in {options.out}")


if __name__ == "__main__":
    main()
