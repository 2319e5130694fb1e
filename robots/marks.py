"""Closures that a robot file marks by names: pairs of frames, ball joints written as three hinges, motors.

URDF has no closures. Exporters such as onshape-to-robot write the two ends of a loop as additional links
closing_NAME_1 and closing_NAME_2 with coincident frames, a ball joint as three hinges about one point, and
joints without a motor with names that begin with "passive".
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..solvers.kinematics.rotations import dot, length, rotate
from .model import Closure, ModelJoint, ModelLink, Robot

CLOSING = re.compile(r"closing_(.+)_([12])")
PASSIVE = "passive"  # beginning of the name of a joint without a motor
SAME_POINT = 1e-9  # [m] distance within which hinges rotate about one point
PERPENDICULAR = 1e-6  # cosine of the angle between axes below which they count as perpendicular
# [kg] mass below which a link counts as an intermediate one between the hinges of a ball joint, and as no
# part of the robot
LIGHT = 1e-6


def closing_pairs(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """(NAME, first, second) of each pair of names closing_NAME_1 and closing_NAME_2."""
    ends_by_name: dict[str, dict[str, str]] = {}
    for name in names:
        if match := CLOSING.fullmatch(name):
            ends_by_name.setdefault(match[1], {})[match[2]] = name
    return [(name, ends["1"], ends["2"]) for name, ends in ends_by_name.items() if len(ends) == 2]


def marked(robot: Robot, driven: Sequence[str] = ()) -> Robot:
    """The robot with the closures, ball joints and motors that its names mark; unchanged without closures.

    Args:
        robot: The robot as its file describes it.
        driven: Joints that have a motor according to the file. If no movable joint is among them and the
            names of some begin with "passive", all other movable joints have one. Mimic joints have none.
    """
    pairs = closing_pairs([link.name for link in robot.links])
    # only files with closed loops are marked: elsewhere names that begin with "passive" have no meaning
    if not pairs:
        return robot
    free = [joint.name for joint in robot.joints if joint.is_movable and joint.mimic is None]
    motors = [name for name in dict.fromkeys(driven) if name in free]
    if not motors and any(name.startswith(PASSIVE) for name in free):
        motors = [name for name in free if not name.startswith(PASSIVE)]
    # if the motors are not known, the driven joints of a wrist could count as a ball joint
    balls = tuple(_balls(robot, set(motors))) if motors else ()
    return replace(
        robot,
        closures=tuple(Closure(first, other) for _, first, other in pairs),
        motors=tuple(motors),
        balls=balls,
    )


def _balls(robot: Robot, motors: set[str]) -> Iterator[tuple[str, str, str]]:
    """Triples of passive hinges with perpendicular axes through one point and only light links between them:
    ball joints.
    """
    below: dict[str, list[ModelJoint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)

    def hinge(joint: ModelJoint) -> bool:
        return joint.is_rotary and joint.mimic is None and joint.name not in motors

    def onward(joint: ModelJoint) -> ModelJoint | None:
        """The next hinge, if it is at the same point and nothing else is attached between them; else None."""
        link, after = robot.link[joint.child], below.get(joint.child, [])
        if len(after) != 1 or not _is_light(link) or not hinge(after[0]):
            return None
        return after[0] if _are_crossed(joint, after[0]) else None

    # of four or more hinges about one point, each may belong to one triple only
    used: set[str] = set()
    for first in robot.joints:
        if not hinge(first) or first.name in used:
            continue
        second = onward(first)
        third = second and onward(second)
        if second is not None and third is not None:
            used |= {first.name, second.name, third.name}
            yield first.name, second.name, third.name


def _is_light(link: ModelLink) -> bool:
    """Whether a link only connects hinges: it has no visuals and hardly any mass."""
    return not link.visuals and (link.inertial is None or link.inertial.mass < LIGHT)


def _are_crossed(joint: ModelJoint, onward: ModelJoint) -> bool:
    """Whether the axes of a joint and the next one are perpendicular through one point."""
    is_at_point = length(onward.origin.offset) <= SAME_POINT
    return is_at_point and abs(dot(joint.axis, rotate(onward.origin.rotation, onward.axis))) < PERPENDICULAR


def closures_text(robot: Robot) -> str:
    """The robot's closures, motors and ball joints in the format of closures.py, as JSON, which is read much
    faster than other YAML; "" if its file marks no closure.
    """
    if not robot.closures:
        return ""
    entries = {
        "closed_loop": [[closure.first, closure.second] for closure in robot.closures],
        "type": [closure.kind for closure in robot.closures],
        "name_mot": list(robot.motors),
        "joint_name": [name for ball in robot.balls for name in ball],
        "joint_type": ["SPHERICAL", "FIXED", "FIXED"] * len(robot.balls),
    }
    return json.dumps(entries, ensure_ascii=False)
