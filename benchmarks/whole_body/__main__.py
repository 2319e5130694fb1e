"""Runs the whole-body solver on a file of targets; writes joints, base and time of each step.

    python -m benchmarks.whole_body --urdf FILE --targets IN.npz --out OUT.npz [--law paper] [--gain K]

IN has links (k,) names, rotation (t, k, 3, 3) and angular_velocity (t, k, 3) [rad/s] in the world, base_link,
base_position (t, 3) [m], base_velocity (t, 3) [m/s], dt [s] and optionally joint_velocity_limit [rad/s];
velocity limits of the URDF are often placeholders and are ignored. OUT has joint_names (n,), joints (t, n),
base_rotation (t, 3, 3), base_position (t, 3), joint_velocity (t, n) and seconds (t,). Joints start at zero or
at the limit nearest to it, the base at its first target.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.robots import reading
from limber.robots.errors import UrdfError
from limber.robots.tree import build_tree
from limber.solvers.kinematics.skeleton import SkeletonError
from limber.solvers.limits import usual_limits
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.full_solve import settled
from limber.solvers.whole_body.law import DEAD_BEAT, Law
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import KinematicState, since
from limber.solvers.whole_body.targets import BodyTargetError, Target, Values

from . import robot
from .printed import PaperLaw

Arrays = Mapping[str, np.ndarray]
LAWS: dict[str, type[Law]] = {"exact": Law, "paper": PaperLaw}


def body_for(urdf: Path, arrays: Arrays) -> Body:
    """The body of a URDF file, with the targets' base link as root."""
    return robot.body(build_tree(reading.read(urdf), str(arrays["base_link"])))


def follower(body: Body, arrays: Arrays, law: Law) -> WholeBody:
    """Solver for the targets of a file."""
    targets = [Target(str(link)) for link in arrays["links"]] + [Target(str(arrays["base_link"]), "position")]
    velocity = float(arrays["joint_velocity_limit"]) if "joint_velocity_limit" in arrays else None
    return WholeBody(body, targets, WholeBodyOptions(law, usual_limits(velocity)))


def frames_of(arrays: Arrays) -> list[Values]:
    """Target values of every step."""
    rows = zip(
        arrays["rotation"],
        arrays["base_position"],
        arrays["angular_velocity"],
        arrays["base_velocity"],
        strict=True,
    )
    return [Values(rotations, position[None], spin, move[None]) for rotations, position, spin, move in rows]


def first(solver: WholeBody, arrays: Arrays) -> KinematicState:
    """State with joints at zero or at the limit nearest to it, and the base at its first target position, and
    at its target orientation if it has one.
    """
    links = [str(link) for link in arrays["links"]]
    base = str(arrays["base_link"])
    rotation = arrays["rotation"][0, links.index(base)] if base in links else None
    return solver.start(base_rotation=rotation, base_position=arrays["base_position"][0])


def answer(solver: WholeBody, arrays: Arrays) -> dict[str, np.ndarray]:
    """Solves each step from the one before; returns the arrays of OUT. The first step is a full solve, as in
    Blender, unless the joints' velocity is limited.
    """
    state, dt = first(solver, arrays), float(arrays["dt"])
    rows, seconds = [], []
    for values in frames_of(arrays):
        began = time.perf_counter()
        if rows or "joint_velocity_limit" in arrays:
            _, state = solver.step(values, state, dt)
        else:
            settled_state = settled(solver, values, state)
            state = replace(settled_state, velocity=since(settled_state, state, dt))
        seconds.append(time.perf_counter() - began)
        rows.append(state)
    return {
        "joint_names": np.array(solver.body.names),
        "joints": np.array([row.joints for row in rows]),
        "base_rotation": np.array([row.base_rotation for row in rows]),
        "base_position": np.array([row.base_position for row in rows]),
        "joint_velocity": np.array([row.velocity[6:] for row in rows]),
        "seconds": np.array(seconds),
    }


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", metavar="FILE", type=Path, required=True)
    ask.add_argument("--targets", metavar="IN.npz", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument(
        "--law", choices=LAWS, default="exact", help="paper: Rapetti et al. 2020, eq. 9, as printed"
    )
    ask.add_argument(
        "--gain",
        type=float,
        default=DEAD_BEAT,
        metavar="K",
        help="[1/s]; the default corrects all of the error at every step",
    )
    options = ask.parse_args()
    with np.load(options.targets) as file:
        arrays = dict(file)
    try:
        solver = follower(body_for(options.urdf, arrays), arrays, LAWS[options.law](options.gain))
        answered = answer(solver, arrays)
    except (UrdfError, SkeletonError, BodyTargetError) as error:
        sys.exit(str(error))
    np.savez(options.out, **answered)
    print(
        f"{len(answered['seconds'])} steps, median {1e3 * np.median(answered['seconds']):.3g} ms ->"
        f" {options.out}"
    )


if __name__ == "__main__":
    main()
