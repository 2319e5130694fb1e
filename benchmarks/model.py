"""Poses of all bodies of a robot's file for given joint values, as Limber reads the file, and the residuals
of its closed loops.

    python -m benchmarks.model --model FILE [--closures FILE] [--arguments NAME:=VALUE ...] --samples IN.npz
        --out OUT.npz

FILE  URDF, xacro or MJCF; closures: a YAML file in the format of docs/robots/closed_loops.md, instead of
      those that the file itself marks; arguments: of a xacro file
IN    joint_names (n,); joints (m, n) [rad, m]. A ball joint of MJCF is three, NAME_x, NAME_y, NAME_z,
      rotations in this order
OUT   body_names (b,); position (m, b, 3) [m] and rotation (m, b, 3, 3) of the bodies' frames in the base's;
      residual (m,) [m, rad] of the closures: the largest distance or angle between frames that should
      coincide; 0 if there are none

Joints that IN does not name are 0, or follow their leaders. If loops are closed and IN does not name all
joints, the other joints take the values that close the loops: each sample is reached in small steps from the
pose in which IN's joints are 0. If no assembly has the values of IN, IN's joints have them nevertheless, the
others are 0, and the residual is the error of the open loops.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.robots.closures import mechanism_of
from limber.robots.errors import UrdfError
from limber.robots.marks import closures_text
from limber.robots.model import Robot
from limber.robots.reading import read
from limber.robots.tree import LinkTree, build_tree
from limber.solvers.kinematics.rotations import angle_between, length, subtract, to_matrix
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import Goals
from limber.solvers.mechanism.kinds import KINDS
from limber.solvers.mechanism.model import Mechanism, MechanismError
from limber.solvers.mechanism.solver import MechanismSolver

from .mechanism import mechanism_in

MET = 1e-6  # [rad or m] largest permitted difference between driven joints and the values of IN
# [rad or m] largest step of a motor toward a sample, so small that the assembly mode of the file is kept
STEP = 0.1

Arrays = Mapping[str, np.ndarray]


def answer(arrays: Arrays, robot: Robot, mechanism: Mechanism | None) -> dict[str, np.ndarray]:
    """The arrays of OUT. Raises ValueError if IN names a joint that is not among the movable ones."""
    tree = build_tree(robot)
    names = [str(name) for name in arrays["joint_names"].tolist()]
    samples = np.asarray(arrays["joints"], dtype=float).reshape(-1, len(names))
    known = {joint.name for joint in tree.joints}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"{robot.file} has no joint '{unknown[0]}' that moves: its joints are {', '.join(sorted(known))}"
        )
    free = {joint.name for joint in tree.joints if joint.mimic is None}
    loops = (
        []
        if mechanism is None
        else [(joint.parent, joint.child, joint.kind) for joint in mechanism.joints if joint.closes]
    )
    answers = _open(tree, names, samples, loops)
    if mechanism is not None and loops and not free <= set(names):
        _close(answers, mechanism, names, samples)
    return answers


def _open(
    tree: LinkTree, names: Sequence[str], samples: np.ndarray, loops: Sequence[tuple[str, str, str]]
) -> dict[str, np.ndarray]:
    """Forward kinematics of the tree for samples (s, j) [rad; prismatic joints m] of the named joints, with
    the residual of the open loops.
    """
    links = [branch.link for branch in tree.branches]
    followers = {joint.name for joint in tree.joints if joint.mimic is not None}
    position, rotation, residual = [], [], []
    for row in samples.tolist():
        values = dict(zip(names, row, strict=True))
        frames = tree.frames(
            {
                **tree.complete({name: value for name, value in values.items() if name not in followers}),
                **values,
            }
        )
        at = dict(zip(links, frames, strict=True))
        position.append([frame.offset for frame in frames])
        rotation.append([to_matrix(frame.rotation) for frame in frames])
        gaps = [0.0]
        for first, second, kind in loops:
            gaps.append(length(subtract(at[first].offset, at[second].offset)))
            if kind == "fixed":
                gaps.append(angle_between(at[first].rotation, at[second].rotation))
        residual.append(max(gaps))
    return _out(links, np.array(position), np.array(rotation), residual)


def _close(
    answers: dict[str, np.ndarray], mechanism: Mechanism, names: Sequence[str], samples: np.ndarray
) -> None:
    """Replaces in `answers` the rows of those samples for which the loops can be closed: the named joints are
    driven to the samples (s, j) [rad; prismatic joints m], and the others follow.
    """
    solver = MechanismSolver(mechanism)
    order = [mechanism.body_index[name] for name in answers["body_names"].tolist()]

    def goals(row: np.ndarray) -> Goals:
        return Goals(actuators={name: (float(value),) for name, value in zip(names, row, strict=True)})

    start = assemble(solver, None, goals(np.zeros(len(names)))).state
    for sample, row in enumerate(samples):
        steps = max(1, math.ceil(float(np.max(np.abs(row), initial=0.0)) / STEP))
        state = start
        for k in range(1, steps + 1):
            solution = solver.solve(goals(row * (k / steps)), state, 1.0)
            state = solution.state
        if solution.report.converged and solution.report.goal_error < MET:
            poses = solution.poses[order]
            answers["position"][sample], answers["rotation"][sample] = poses[:, :3, 3], poses[:, :3, :3]
            answers["residual"][sample] = solution.report.residual


def _out(
    names: Sequence[str], position: np.ndarray, rotation: np.ndarray, residual: Sequence[float]
) -> dict[str, np.ndarray]:
    return {
        "body_names": np.array(names),
        "position": position,
        "rotation": rotation,
        "residual": np.array(residual),
    }


def model_of(
    model: Path, closures: Path | None, joints: Sequence[str], arguments: Mapping[str, str]
) -> tuple[Robot, Mechanism | None]:
    """The robot of a file, and its mechanism with these joints as motors; None for a robot without closed
    loops.

    Raises:
        UrdfError: a file cannot be used.
    """
    robot = read(model, for_mechanism=True, arguments=arguments)
    if closures is None and not robot.closures:
        return robot, None
    mechanism = (
        mechanism_in(model, closures, False)
        if closures
        else mechanism_of(robot, closures_text(robot), str(model))
    )
    driven = [
        replace(joint, actuated=joint.name in joints and bool(KINDS[joint.kind].freedoms))
        for joint in mechanism.joints
    ]
    return robot, replace(mechanism, joints=tuple(driven))


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "samples", "out"):
        ask.add_argument(f"--{name}", type=Path, required=True)
    ask.add_argument("--closures", type=Path)
    ask.add_argument("--arguments", nargs="*", default=[])
    options = ask.parse_args()
    arguments = dict(word.split(":=", 1) for word in options.arguments)
    with np.load(options.samples) as file:
        arrays = dict(file)
    try:
        robot, mechanism = model_of(
            options.model, options.closures, [str(name) for name in arrays["joint_names"].tolist()], arguments
        )
        for warning in (robot if mechanism is None else mechanism).warnings:
            print(f"warning: {warning}")
        answers = answer(arrays, robot, mechanism)
    except (UrdfError, MechanismError, ValueError) as error:
        sys.exit(str(error))
    np.savez(options.out, **answers)
    counted = f"{len(answers['residual'])} samples of {len(answers['body_names'])} bodies"
    print(f"{counted}, largest residual {answers['residual'].max(initial=0.0):.3g} -> {options.out}")


if __name__ == "__main__":
    main()
