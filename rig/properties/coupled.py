"""Properties of a coupled limit: a weighted sum of joint angles that stays between two bounds."""

from math import pi

from bpy.types import PropertyGroup

from .joints import LimberJointAxis
from .overridable import CollectionProperty, FloatProperty, IntProperty, StringProperty


class LimberCoupledJoint(LimberJointAxis, PropertyGroup):
    """A joint of a coupled limit, with its factor in the sum."""

    # overrides identify items of a list by name
    name: StringProperty(name="Name", description="Name of the joint's bone")
    factor: FloatProperty(
        name="Factor",
        description="Factor of the joint's angle in the sum: 1 and -1 bound the difference of two joints",
        default=1.0,
    )


class LimberCoupledLimit(PropertyGroup):
    """Bounds of a weighted sum of joint angles. They describe, for example, a shoulder whose cables cross
    several joints, or parts that collide only for certain combinations of joint angles.
    """

    name: StringProperty(name="Name", description="Name of the coupled limit")
    joints: CollectionProperty(
        name="Joints",
        description="Joints whose angles are added, each times its factor",
        type=LimberCoupledJoint,
    )
    active_joint: IntProperty(name="Joint", description="Joint whose settings are shown")
    lower: FloatProperty(
        name="Min",
        description="Smallest allowed sum of the joint angles, each times its factor",
        subtype="ANGLE",
        default=-pi,
    )
    upper: FloatProperty(
        name="Max",
        description="Largest allowed sum of the joint angles, each times its factor",
        subtype="ANGLE",
        default=pi,
    )
