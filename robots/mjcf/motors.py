"""Motors of an MJCF file: the joints that actuators drive, and the limits that the actuators set."""

from dataclasses import replace

from ..model import ModelJoint, Robot
from ..xml_tree import Element
from .document import ACTUATORS, LARGEST_LIMIT, Document


def with_motors(document: Document, robot: Robot) -> Robot:
    """The robot with motors on the joints that actuators drive. The joints' efforts are narrowed to the
    actuators' forces, their limits to the control ranges of actuators that are controlled by position.
    """
    joints, motors = robot.joint, []
    limited_joints = dict(joints)
    for element in document.sections("actuator"):
        name = element.attributes.get("joint", "")
        if element.tag not in ACTUATORS or name not in joints or not joints[name].is_movable:
            continue
        motors.append(name)
        limited_joints[name] = _limited(document, document.with_defaults(element, ""), limited_joints[name])
    return replace(robot, joints=tuple(limited_joints.values()), motors=tuple(dict.fromkeys(motors)))


def _limited(document: Document, actuator: Element, joint: ModelJoint) -> ModelJoint:
    """The joint with its limits and effort narrowed to an actuator's, as `with_motors` says; its limits stay,
    with a warning, if the actuator would leave it no range.
    """
    reader = document.reader
    gear = (document.numbers(actuator, "gear", 6) or (1.0,))[0]
    # an actuator with gear 0 has no effect on its joint
    if not gear:
        return joint
    forces = document.limits(actuator, "forcerange", "forcelimited")
    effort = joint.effort
    if forces is not None:
        torque = abs(gear) * max(map(abs, forces))
        effort = torque if effort is None else min(effort, torque)
    # other actuators are controlled by force or velocity, so that their range does not limit the position
    controls = (
        document.limits(actuator, "ctrlrange", "ctrllimited") if _is_servo(document, actuator) else None
    )
    lower, upper = joint.lower, joint.upper
    if controls is not None:
        low, high = (
            min(max(number / gear, -LARGEST_LIMIT), LARGEST_LIMIT)
            for number in (controls if gear > 0.0 else reversed(controls))
        )
        lower = low if lower is None else max(lower, low)
        upper = high if upper is None else min(upper, high)
        if lower > upper:
            reader.warn(
                actuator, f"its ctrlrange is outside the range of joint '{joint.name}': the joint's counts"
            )
            lower, upper = joint.lower, joint.upper
    # only joints without limits are continuous
    kind = "revolute" if joint.is_rotary and lower is not None else joint.kind
    return replace(joint, kind=kind, lower=lower, upper=upper, effort=effort)


def _is_servo(document: Document, actuator: Element) -> bool:
    """Whether an actuator's control value is a position of its joint."""
    if actuator.tag == "position":
        return True
    bias = document.numbers(actuator, "biasprm", 10) or ()
    gain = document.numbers(actuator, "gainprm", 10) or (1.0,)
    is_spring = actuator.attributes.get("biastype") == "affine" and len(bias) > 1 and bias[1] != 0.0
    return (
        actuator.tag == "general"
        and is_spring
        and abs(bias[1] + gain[0]) < 1e-9 * abs(gain[0])
        and not bias[0]
    )
