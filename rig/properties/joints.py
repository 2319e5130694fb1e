"""Properties of a joint or motor: axis, limits and servo."""

from math import pi, radians

import bpy

from ..bones.axes import PRISMATIC, REVOLUTE, JointKey, label, letter
from .motion_style import LimberJointStyle
from .overridable import EnumProperty, FloatProperty, StringProperty
from .servo import LimberServo

AXES = [(axis, axis, f"Rotates about the bone's {axis} axis") for axis in REVOLUTE]
AXES += [
    (axis, f"Linear {letter(axis)}", f"Moves along the bone's {letter(axis)} axis") for axis in PRISMATIC
]

# default limits [rad/s, rad/s2, rad/s3], which a hobby servo can follow
VELOCITY, ACCELERATION, JERK = radians(180), radians(900), radians(9000)


def in_metres(name: str, label: str, description: str) -> bpy.props._PropertyDeferred:
    """Property that shows the number of the property `name` in metres (per second, ...) instead of as an
    angle, for a prismatic joint. `label`: its name in the interface.
    """

    def write(joint: bpy.types.PropertyGroup, value: float) -> None:
        setattr(joint, name, value)

    return FloatProperty(
        name=label,
        description=description,
        unit="LENGTH",
        precision=4,
        step=0.1,
        get=lambda joint: getattr(joint, name),
        set=write,
    )


class LimberJointAxis:
    """Mixin of properties that refer to a joint by its bone and axis."""

    bone: StringProperty(name="Bone", description="Bone that this joint moves")
    axis: EnumProperty(
        name="Axis",
        description="Axis of the bone about which the joint rotates, or along which it moves",
        items=AXES,
    )

    @property
    def key(self) -> JointKey:
        """Bone and axis, which identify the joint within its mover."""
        return self.bone, self.axis

    @property
    def label(self) -> str:
        """The joint's name in the interface, by which a robot's channels refer to it too."""
        return label(self.bone, self.axis)


class LimberJointSettings(LimberJointAxis, LimberServo, LimberJointStyle):
    """Mixin of chains' joints and mechanisms' motors: axis, limits, servo, style. Limits are in radians, or
    in metres for prismatic joints.
    """

    lower: FloatProperty(
        name="Min",
        description="Smallest angle of the joint or motor, from its rest pose",
        subtype="ANGLE",
        default=-pi,
        soft_min=-pi,
        soft_max=pi,
    )
    upper: FloatProperty(
        name="Max",
        description="Largest angle of the joint or motor, from its rest pose",
        subtype="ANGLE",
        default=pi,
        soft_min=-pi,
        soft_max=pi,
    )
    velocity: FloatProperty(
        name="Velocity",
        description="Largest speed of the joint or motor, as an angle per second",
        subtype="ANGLE",
        default=VELOCITY,
    )
    acceleration: FloatProperty(
        name="Acceleration",
        description="Largest acceleration of the joint or motor, as an angle per second squared",
        subtype="ANGLE",
        default=ACCELERATION,
    )
    jerk: FloatProperty(
        name="Jerk",
        description=(
            "Largest jerk (change of the acceleration) of the joint or motor, as an angle per second cubed;"
            " lower is softer"
        ),
        subtype="ANGLE",
        default=JERK,
    )
    linear_lower: in_metres("lower", "Min", "Smallest displacement along the axis, from the rest pose")
    linear_upper: in_metres("upper", "Max", "Largest displacement along the axis, from the rest pose")
    linear_velocity: in_metres("velocity", "Velocity", "Largest speed, in metres per second")
    linear_acceleration: in_metres(
        "acceleration", "Acceleration", "Largest acceleration, in metres per second squared"
    )
    linear_jerk: in_metres(
        "jerk",
        "Jerk",
        "Largest jerk (change of the acceleration), in metres per second cubed; lower is softer",
    )

    @property
    def limits(self) -> tuple[float, float]:
        return self.lower, self.upper
