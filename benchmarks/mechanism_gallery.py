"""Mechanisms of the sizes in table I of Schumacher, Knoop and Baecher 2021, and a tower of any size, each
with a path.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, about, between, multiply, rotate
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody

AXES = {"x": between(Z, X), "y": between(Z, Y), "z": IDENTITY}
ORIGIN = RigidTransform()


@dataclass(frozen=True)
class Case:
    name: str
    mechanism: Mechanism
    goals: Callable[[float], Goals]  # function from a time [s] to the goals


def _hinge(
    name: str,
    axis: str,
    parent: str,
    child: str,
    position: tuple[float, float, float],
    *,
    actuated: bool = False,
) -> Joint:
    """A hinge about an axis of the world through a position, both in the start pose, in which every body's
    frame is the world's.
    """
    at = RigidTransform(AXES[axis], position)
    return Joint(name, "revolute", parent, child, at, at, actuated=actuated)


def boxer(path: Callable[[float], tuple[float, float]] | None = None) -> Case:
    """An arm of five bodies: three hinges through one shoulder, which is singular when the arm is straight
    ahead, and an elbow.

    `path`: function from a time [s] to tilt and yaw [rad] of the upper arm; the default one stays away from
    the singular pose.
    """
    names = ("torso", "yoke", "swing", "upper", "fore")
    axes = ("z", "x", "z", "x")
    joints = [
        _hinge(
            f"motor {k}", axes[k], names[k], names[k + 1], (0.0, 0.3 if k == 3 else 0.0, 0.0), actuated=True
        )
        for k in range(4)
    ]
    bodies = [RigidBody(name, 1.0, start=ORIGIN, grounded=name == "torso") for name in names]
    way = path or (lambda t: (0.9 + 0.3 * math.sin(2.0 * t), 0.5 * math.sin(1.3 * t)))

    def goals(t: float) -> Goals:
        # the upper arm moves as on a ball joint, without roll: tilted from the vertical toward `yaw`
        tilt, yaw = way(t)
        upper = multiply(about(Z, yaw), multiply(about(X, tilt), about(Z, -yaw)))
        rotation = multiply(upper, about(X, 0.8))
        elbow = rotate(upper, (0.0, 0.3, 0.0))
        return Goals((FrameGoal("fore", RigidTransform(position=(0.0, 0.3, 0.0)), elbow, rotation),))

    return Case("boxer", Mechanism(tuple(bodies), tuple(joints)), goals)


def dancer() -> Case:
    """Twelve bodies in one loop of twelve hinges, eight of them motors: two legs on fixed feet, with six DoF
    of the pelvis.
    """
    bodies = [RigidBody("feet", 0.5, start=ORIGIN, grounded=True)]
    joints = []
    for side, y in (("left", 0.1), ("right", -0.1)):
        above = "feet"
        axes_and_heights = (("x", 0.1), ("y", 0.1), ("y", 0.4), ("y", 0.7), ("x", 0.7), ("z", 0.72))
        for k, (axis, z) in enumerate(axes_and_heights):
            child = "pelvis" if k == 5 else f"{side} {k}"
            if child not in {body.name for body in bodies}:
                bodies.append(RigidBody(child, 0.3 if k < 5 else 3.0, (0.0, y if k < 5 else 0.0, z), ORIGIN))
            joints.append(
                _hinge(
                    f"{side} hinge {k}",
                    axis,
                    above,
                    child,
                    (0.08 if k == 2 else 0.0, y, z),
                    actuated=k not in (0, 5),
                )
            )
            above = child

    def goals(t: float) -> Goals:
        rotation = multiply(about(Z, 0.15 * math.sin(1.5 * t)), about(X, 0.1 * math.sin(2.0 * t)))
        position = (0.03 * math.sin(2.5 * t), 0.04 * math.sin(2.0 * t), 0.68 + 0.02 * math.cos(3.0 * t))
        return Goals((FrameGoal("pelvis", RigidTransform(position=(0.0, 0.0, 0.72)), position, rotation),))

    return Case("dancer", Mechanism(tuple(bodies), tuple(joints)), goals)


def walker() -> Case:
    """31 bodies, 36 joints, 12 motors, six loops of push rods; feet, pelvis and centre of mass have goals,
    and the feet support it alternately.
    """
    bodies = [RigidBody("pelvis", 4.0, (0.0, 0.0, 0.8), ORIGIN)]
    joints = []
    for side, y in (("left", 0.1), ("right", -0.1)):
        above = "pelvis"
        for k, (axis, z) in enumerate(
            (("z", 0.75), ("x", 0.72), ("y", 0.7), ("y", 0.4), ("y", 0.1), ("x", 0.08))
        ):
            child, x = f"{side} {k}", 0.06 if k == 3 else 0.0
            bodies.append(RigidBody(child, 0.5, (0.0, y, z - 0.05), ORIGIN))
            is_pushed = axis == "y"
            joints.append(_hinge(f"{side} hinge {k}", axis, above, child, (x, y, z), actuated=not is_pushed))
            # a crank above and a rod as long as the distance between the joints form a parallelogram
            if is_pushed:
                crank, rod, low, high = (
                    f"{side} crank {k}",
                    f"{side} rod {k}",
                    (x - 0.05, y, z),
                    (x - 0.05, y, z + 0.12),
                )
                bodies += [RigidBody(crank, 0.1, high, ORIGIN), RigidBody(rod, 0.05, low, ORIGIN)]
                joints += [
                    _hinge(f"{side} motor {k}", "y", above, crank, (x, y, z + 0.12), actuated=True),
                    Joint(
                        f"{side} rod's head {k}",
                        "universal",
                        crank,
                        rod,
                        RigidTransform(AXES["z"], high),
                        RigidTransform(AXES["z"], high),
                    ),
                    Joint(
                        f"{side} rod's foot {k}",
                        "spherical",
                        rod,
                        child,
                        RigidTransform(position=low),
                        RigidTransform(position=low),
                    ),
                ]
            above = child
        for k, (body, z) in enumerate(((f"{side} 3", 0.3), (f"{side} 2", 0.6), (f"{side} 5", 0.0))):
            bodies.append(RigidBody(f"{side} cover {k}", 0.1, (0.0, y, z), ORIGIN))
            joints.append(Joint(f"{side} screws {k}", "fixed", body, f"{side} cover {k}"))

    def goals(t: float) -> Goals:
        phase = math.pi * t  # one step per second
        frames = [
            FrameGoal(
                "pelvis",
                RigidTransform(position=(0.0, 0.0, 0.8)),
                (0.05 * t, 0.0, 0.77),
                IDENTITY,
                (0.0, 0.0, 1.0),
                (0.0, 1.0, 0.0),
            )
        ]
        support = 0.0
        for side, y, shift in (("left", 0.1, 0.0), ("right", -0.1, math.pi)):
            lift = max(0.0, math.sin(phase + shift))
            position = (0.05 * t, y, 0.03 * lift)
            frames.append(
                FrameGoal(
                    f"{side} 5",
                    RigidTransform(position=(0.0, y, 0.0)),
                    position,
                    IDENTITY,
                    (10.0,) * 3,
                    (100.0,) * 3,
                )
            )
            support += y * (1.0 - lift) * 0.5
        return Goals(tuple(frames), (CentreGoal((0.05 * t, support, 0.0), (10.0, 10.0, 0.0)),))

    return Case("walker", Mechanism(tuple(bodies), tuple(joints)), goals)


def tower(storeys: int) -> Case:
    """Stacked parallelograms, three bodies and a planar loop each; the topmost plate is moved."""
    bodies, joints, below = [RigidBody("ground", start=ORIGIN, grounded=True)], [], "ground"
    for k in range(storeys):
        left, right, plate, z = f"left {k}", f"right {k}", f"plate {k}", 0.2 * k
        axis = "y" if k % 2 else "x"
        span = (0.0, 0.2) if axis == "x" else (0.2, 0.0)
        far = (span[0], span[1])
        bodies += [RigidBody(name, 1.0, start=ORIGIN) for name in (left, right, plate)]
        joints += [
            _hinge(f"motor {k}", axis, below, left, (0.0, 0.0, z), actuated=True),
            _hinge(f"free {k}", axis, below, right, (*far, z)),
            _hinge(f"left pin {k}", axis, left, plate, (0.0, 0.0, z + 0.2)),
            _hinge(f"right pin {k}", axis, right, plate, (*far, z + 0.2)),
        ]
        below = plate
    height = 0.2 * storeys

    def goals(t: float) -> Goals:
        position = (0.02 * storeys * math.sin(t), 0.02 * storeys * math.sin(1.4 * t), height * 0.96)
        return Goals((FrameGoal(below, RigidTransform(position=(0.0, 0.0, height)), position),))

    return Case(f"tower of {3 * storeys + 1}", Mechanism(tuple(bodies), tuple(joints)), goals)
