"""Solves a mechanism with closed loops frame by frame: poses of all bodies, motor values, and residuals of
the loops.

    python -m benchmarks.mechanism --urdf FILE [--closures FILE.yaml] --targets IN.npz --out OUT.npz
    python -m benchmarks.mechanism --tick ...         how bodies are accelerated after the motion filter: see
                                                      mechanism_tick.py

FILE URDF, xacro or MJCF; without a file of closures, those that it marks itself are used
IN   dt [s]; floating_base; frames (k,) link names; position (t, k, 3) [m]; optional rotation (t, k, 3, 3)
     with has_rotation (k,). For forward kinematics also motor_names (m,), motor_position (t, m) [rad, m],
     which replace all goals. Optional: start_names (b,), start_position (b, 3), start_rotation (b, 3, 3), an
     assembled first pose; position_weight, rotation_weight (t, k, 3); com (t, 3) and com_weight (t, 3);
     velocity_limit of the motors [rad/s or m/s]
OUT  body_names (b,); body_position (t, b, 3), body_rotation (t, b, 3, 3); motor_names (m,), motor_position
     (t, m); residual (t,); converged (t,); seconds (t,)
"""

import argparse
import gc
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.robots.closures import mechanism_of, read_mechanism
from limber.robots.errors import UrdfError
from limber.robots.marks import closures_text
from limber.robots.reading import read
from limber.solvers.kinematics.rotations import from_matrix
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import EVENLY, CentreGoal, FrameGoal, Goals
from limber.solvers.mechanism.model import Mechanism, MechanismError
from limber.solvers.mechanism.solution import AssemblyState, SolveReport
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks import mechanism_tick, mechanism_unseen

Arrays = Mapping[str, np.ndarray]


def goals_of(arrays: Arrays) -> list[Goals]:
    """Goals of each frame of IN."""
    count, width = arrays["position"].shape[:2]
    is_forward = "motor_position" in arrays
    turned = arrays.get("has_rotation", np.full(width, "rotation" in arrays))
    goals = []
    for t in range(count):
        if is_forward:
            motors = zip(arrays["motor_names"].tolist(), arrays["motor_position"][t].tolist(), strict=True)
            goals.append(Goals(actuators={name: (value,) for name, value in motors}))
            continue
        frames = []
        for k, name in enumerate(arrays["frames"].tolist()):
            rotation = from_matrix(arrays["rotation"][t, k].tolist()) if turned[k] else None
            weights = [
                tuple(arrays[field][t, k].tolist()) if field in arrays else (1.0,) * 3
                for field in ("position_weight", "rotation_weight")
            ]
            position = tuple(arrays["position"][t, k].tolist())
            frames.append(
                FrameGoal(
                    name,
                    position=position,
                    rotation=rotation,
                    position_weight=weights[0],
                    rotation_weight=weights[1],
                )
            )
        centres = []
        if "com" in arrays:
            weight = tuple(arrays["com_weight"][t].tolist()) if "com_weight" in arrays else EVENLY
            centres.append(CentreGoal(tuple(arrays["com"][t].tolist()), weight))
        goals.append(Goals(tuple(frames), tuple(centres)))
    return goals


def start_of(arrays: Arrays, solver: MechanismSolver) -> AssemblyState | None:
    """The assembled first pose of IN; None if IN has none."""
    if "start_names" not in arrays:
        return None
    rows = zip(
        arrays["start_names"].tolist(),
        arrays["start_position"].tolist(),
        arrays["start_rotation"].tolist(),
        strict=True,
    )
    return solver.state_at(
        {name: RigidTransform(from_matrix(rotation), tuple(position)) for name, position, rotation in rows}
    )


def with_velocity(mechanism: Mechanism, arrays: Arrays) -> Mechanism:
    if "velocity_limit" not in arrays:
        return mechanism
    limit = float(arrays["velocity_limit"])
    joints = tuple(
        replace(joint, velocity=(limit,) * len(joint.lower or (0,))) if joint.actuated else joint
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def answer(arrays: Arrays, mechanism: Mechanism) -> dict[str, np.ndarray]:
    """The arrays of OUT; prints a sentence if loops are open in some frames."""
    solver = MechanismSolver(with_velocity(mechanism, arrays))
    goals, dt = goals_of(arrays), float(arrays["dt"])
    motors = [joint.name for joint in mechanism.actuators]
    began = time.perf_counter()
    solution = assemble(solver, start_of(arrays, solver), goals[0])
    first = time.perf_counter() - began
    poses, values, reports, seconds = [], [], [], []
    gc.disable()  # so that no frame contains a pause of the garbage collector
    for t, goal in enumerate(goals):
        began = time.perf_counter()
        if t:
            solution = solver.solve(goal, solution.state, dt)
        seconds.append(time.perf_counter() - began if t else first)
        poses.append(solution.poses)
        values.append([solver.values(solution.state, name)[0] for name in motors])
        reports.append(solution.report)
    if sentence := unassembled(reports):
        print(sentence)
    every = np.array(poses)
    return {
        "body_names": np.array([body.name for body in mechanism.bodies]),
        "body_position": every[:, :, :3, 3],
        "body_rotation": every[:, :, :3, :3],
        "motor_names": np.array(motors, dtype=str),
        "motor_position": np.array(values).reshape(len(goals), len(motors)),
        "residual": np.array([report.residual for report in reports]),
        "converged": np.array([report.converged for report in reports]),
        "seconds": np.array(seconds),
    }


def unassembled(reports: Sequence[SolveReport]) -> str:
    """Number of frames in which loops are open, and the worst joint of the first such frame, as text; "" if
    all are closed.
    """
    frames = [t for t, report in enumerate(reports) if not report.converged]
    if not frames:
        return ""
    first = reports[frames[0]]
    counted = f"{len(frames)} of {len(reports)} frames, first frame {frames[0]}"
    return f"not assembled: {counted}: {first.worst} is open by {first.residual:.3g} m or rad"


def mechanism_in(model: Path, closures: Path | None, is_floating: bool) -> Mechanism:
    """The mechanism of a robot's file and its closures, or the closures that the file marks itself. Raises
    UrdfError.
    """
    if closures is not None:
        return read_mechanism(model, closures, is_floating)
    robot = read(model, for_mechanism=True)
    return mechanism_of(robot, closures_text(robot), str(model), is_floating)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("urdf", "closures", "targets", "out"):
        ask.add_argument(f"--{name}", type=Path)
    ask.add_argument(
        "--tick",
        action="store_true",
        help="acceleration of bodies after the motion filter; see mechanism_tick.py",
    )
    ask.add_argument("--unseen", type=int, default=60, help="with --tick alone: how many random mechanisms")
    ask.add_argument("--seed", type=int, default=0, help="of these")
    options = ask.parse_args()
    if options.tick and options.urdf is None:
        mechanism_tick.print_runs(
            mechanism_unseen.cases(options.unseen, options.seed), 1.0 / mechanism_unseen.RATE
        )
        return
    for name in ("urdf", "targets") if options.tick else ("urdf", "targets", "out"):
        if getattr(options, name) is None:
            ask.error(f"--{name} is missing")
    with np.load(options.targets) as file:
        arrays = dict(file)
    try:
        mechanism = mechanism_in(options.urdf, options.closures, bool(arrays.get("floating_base", False)))
        for warning in mechanism.warnings:
            print(f"warning: {warning}")
        if options.tick:
            solver = MechanismSolver(mechanism)
            mechanism_tick.print_runs(
                [(options.targets.stem, solver, start_of(arrays, solver), goals_of(arrays))],
                float(arrays["dt"]),
            )
            return
        answers = answer(arrays, mechanism)
    except (UrdfError, MechanismError) as error:
        sys.exit(str(error))
    np.savez(options.out, **answers)
    print(
        f"{len(answers['seconds'])} frames, median {1e3 * np.median(answers['seconds']):.3g} ms"
        f" -> {options.out}"
    )


if __name__ == "__main__":
    main()
