"""Derives the zeros of the models of LeRobot's arms from the lines of their joints' axes, and measures how
much the same pose differs between models.

    python -m benchmarks.lerobot_zeros FOLDER

FOLDER has the URDF files of TheRobotStudio/SO-ARM100 (so101_new_calib.urdf, so101_old_calib.urdf,
so100.urdf), anywhere below it.

The bend of a joint is the angle about its axis from the line of the joint before it to the line of the joint
after it. Models are in the same pose where all bends are equal. The shoulder's pan has no joint before it:
its 0 is straight ahead in all models, the middle between its limits. The gripper has none after it, and
LeRobot gives the share of its range.
"""

import math
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from limber.hardware.lerobot.calibration import LeRobotMotor
from limber.robots.lerobot_zeros import ZEROS
from limber.robots.model import Robot
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import rotate

FILES = ("so101_new_calib.urdf", "so101_old_calib.urdf", "so100.urdf")
ARM = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
BENT = ARM[1:-1]  # the joints between the first and the last
PARALLEL = 0.999  # cosine above which two axes count as parallel
POSES = 100  # number of random poses in which two models are compared

Lines = dict[str, tuple[np.ndarray, np.ndarray]]  # joint -> (a point on its axis [m], direction of the axis)


def models(folder: Path) -> dict[str, Robot]:
    """The models below a folder by their names, in the order of `FILES`, whose first is LeRobot's reference;
    models without a file are left out.
    """
    paths = (next(folder.rglob(name), None) for name in FILES)
    robots = (read(path) for path in paths if path is not None)
    return {robot.name: robot for robot in robots}


def axis_lines(robot: Robot, values: Mapping[str, float]) -> Lines:
    """Lines of the arm's axes for joint values [rad], in the base's frame, directed so that LeRobot's values
    grow.
    """
    tree, zeros = build_tree(robot), ZEROS[robot.name]
    lines = {}
    for branch, frame in zip(tree.branches, tree.frames(tree.complete(values)), strict=True):
        name = "" if branch.joint is None else branch.joint.name
        if name in ARM:
            sense = zeros[name].sense if name in zeros else 1
            lines[name] = np.array(frame.offset), sense * np.array(rotate(frame.rotation, branch.axis))
    return lines


def bends(lines: Lines) -> dict[str, float]:
    """Bend [rad] of each joint that has a joint before and after it."""
    bend_by_joint = {}
    for before, joint, after in zip(ARM, BENT, ARM[2:], strict=False):
        start, end = _across(lines[joint], lines[before]), _across(lines[joint], lines[after])
        bend_by_joint[joint] = math.atan2(np.cross(start, end) @ lines[joint][1], start @ end)
    return bend_by_joint


def derived(robot: Robot, reference: Robot) -> dict[str, float]:
    """Value [rad] of each joint with a bend in the pose in which all of the reference's joints are 0: the
    model's senses times the differences of bends.
    """
    bend_by_joint, reference_bend = bends(axis_lines(robot, {})), bends(axis_lines(reference, {}))
    return {
        joint: ZEROS[robot.name][joint].sense * _within_turn(reference_bend[joint] - bend_by_joint[joint])
        for joint in BENT
    }


def worst(robot: Robot, reference: Robot, random: np.random.Generator) -> float:
    """Largest difference [rad] of a bend between two models in the same random poses, within the reference's
    limits, or of a joint's value between a pose and the pose converted back.

    Poses are converted from the reference's values to LeRobot's degrees of a calibrated motor, and from these
    to the model's values.
    """
    zeros, motor, largest = ZEROS[robot.name], LeRobotMotor(1, 0, -45, 720, 3400), 0.0
    limits = {joint.name: joint.finite_limits for joint in reference.joints if joint.name in ARM[:-1]}
    for _ in range(POSES):
        pose = {name: float(random.uniform(*span)) for name, span in limits.items()}
        degrees = {
            name: motor.value(motor.position(math.degrees(value), "degrees"), "degrees")
            for name, value in pose.items()
        }
        mapped = {name: zeros[name].joint(motor.angle(value, "degrees")) for name, value in degrees.items()}
        bend_by_joint, reference_bend = bends(axis_lines(robot, mapped)), bends(axis_lines(reference, pose))
        largest = max(
            largest, *(abs(_within_turn(bend_by_joint[joint] - reference_bend[joint])) for joint in BENT)
        )
        largest = max(largest, *(abs(zeros[name].lerobot(mapped[name]) - pose[name]) for name in pose))
    return largest


def _across(line: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Unit vector (3,) perpendicular to a line: toward another line's direction, or toward that line if both
    are parallel. Lines as in `Lines`.
    """
    (point, axis), (other_point, direction) = line, other
    toward = other_point - point if abs(axis @ direction) > PARALLEL else direction
    toward = toward - (toward @ axis) * axis
    return toward / np.linalg.norm(toward)


def _within_turn(angle: float) -> float:
    return (angle + math.pi) % math.tau - math.pi


def main(folder: str) -> None:
    robots = models(Path(folder))
    if not robots:
        sys.exit(
            f"no model of LeRobot's arms below {folder}: it needs the URDF files of TheRobotStudio/SO-ARM100"
        )
    reference = next(iter(robots.values()))
    print(f"{'model':<18}{'joint':<16}{'derived':>12}{'stored':>12}  [degrees]")
    for robot in robots.values():
        for joint, value in derived(robot, reference).items():
            print(
                f"{robot.name:<18}{joint:<16}{math.degrees(value):>12.5f}{math.degrees(ZEROS[robot.name][joint].value):>12.5f}"
            )
        largest = worst(robot, reference, np.random.default_rng(1))
        print(
            f"{robot.name:<18}the same pose as in {reference.name}, {POSES} poses, worst joint:"
            f" {largest:.1e} rad"
        )


if __name__ == "__main__":
    main(sys.argv[1])
