"""Settings of mechanisms in the .blend: on a mechanism's owner, and on its bodies and joints."""

from math import pi

from bpy.types import Object, PropertyGroup

from ..mechanisms.closures import POINTS
from ..mechanisms.ownership import NONE
from .frame_range import LimberRange
from .joints import LimberJointSettings, in_metres
from .motion_style import LimberMotionStyle, filter_property
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from .postures import LimberPostures

KINDS = [
    ("fixed", "Fixed", "No motion: two bodies are one"),
    ("revolute", "Revolute", "Rotation about the joint's Z axis: a hinge"),
    ("prismatic", "Prismatic", "Translation along the joint's Z axis"),
    ("cylindrical", "Cylindrical", "Translation along the joint's Z axis and rotation about it"),
    ("spherical", "Spherical", "Rotation about a point: a ball joint"),
    ("universal", "Universal", "Rotation about the joint's X axis, then about its Y axis: a cardan joint"),
    ("cartesian", "Cartesian", "Translation along all axes, no rotation"),
    ("planar", "Planar", "Translation along the joint's X and Y axes and rotation about its Z axis"),
]
ROLES = [
    ("AUTO", "As Its Rigid Body", "Ground if it is passive, Driven if it is animated as well, else Moves"),
    ("GROUND", "Ground", "Fixed: the mechanism is mounted on it"),
    ("DRIVEN", "Driven", "Moved by its parent, its keyframes or a live chain; the mechanism follows"),
    ("MOVES", "Moves", "The mechanism moves the body"),
]
DOES = [
    ("FRAME", "Reach and Orient", "The body has the target's position and orientation"),
    ("POSITION", "Reach Position", "The body has the target's position, in any orientation"),
    ("ORIENTATION", "Match Orientation", "The body has the target's orientation, at any position"),
    ("CENTRE", "Centre of Mass", "The centre of mass of all bodies is at the target's position"),
    (
        "AIM",
        "Reach and Point",
        "The body has the target's position, and an axis of it points along the target's axis; its roll is"
        " free",
    ),
    (
        "DIRECTION",
        "Point Along",
        "An axis of the body points along the target's axis, at any position; its roll is free",
    ),
]
DRIVES = [
    ("TARGETS", "Targets", "Targets give the poses of bodies, from which the motors' values are solved"),
    ("MOTORS", "Motors", "The motors' values, which can be keyframed, give the pose of the mechanism"),
]
EVENLY = (1.0, 1.0, 1.0)  # default weights of a goal's position along, and orientation about, X, Y and Z
MOTOR_VALUE = "Motor's position from the rest pose, for mechanisms driven by motors and for baked motion"


MASSES = [
    (
        "AUTO",
        "Automatic",
        ("Mass of the robot's file, else of the rigid body, else the volume of its meshes times the density"),
    ),
    ("OWN", "Own", "The mass that is set below"),
]


class LimberMass:
    """Mixin with the settings of a body's mass."""

    mass_from: EnumProperty(
        name="Mass From", description="Where the mass of the body comes from", items=MASSES, default="AUTO"
    )
    mass: FloatProperty(
        name="Mass",
        description="Mass of the body, for goals of the centre of mass, if Mass From is Own",
        default=0.1,
        min=0.0,
        soft_max=10.0,
        precision=3,
        unit="MASS",
    )


class LimberBoneBody(LimberMass, PropertyGroup):
    """Settings of a bone as a body of a mechanism."""


class LimberPart(LimberMass, PropertyGroup):
    """Settings of an object in a mechanism: the role of a body, or a joint between two bodies at the object's
    origin.
    """

    role: EnumProperty(
        name="Role",
        description=("Whether the body is fixed, drives the mechanism, or is moved by it"),
        items=ROLES,
        default="AUTO",
    )
    kind: EnumProperty(
        name="Joint",
        description="Type of the joint between the two bodies",
        items=[(NONE, "None", "This object is no joint of Limber's own"), *KINDS],
        default=NONE,
    )
    first: PointerProperty(
        name="First Body", description="Body on which the joint is mounted; none: the world", type=Object
    )
    second: PointerProperty(
        name="Second Body", description="Body that moves on the joint; none: the world", type=Object
    )
    meets: PointerProperty(
        name="Meets",
        description=(
            "Object on the second body with which the joint should coincide, if there is a gap in the rest"
            " pose; none: there is no gap"
        ),
        type=Object,
    )


class LimberMechanismJoint(PropertyGroup):
    """A joint in a mechanism's list: the object that connects two bodies and has the joint's settings."""

    name: StringProperty(
        name="Name",
        description=("Name that the joint's object had when it was added, for messages after it is deleted"),
    )
    object: PointerProperty(
        name="Joint",
        description="Object with a rigid body constraint, or an empty with a Limber joint",
        type=Object,
    )
    enabled: BoolProperty(
        name="Enabled", description="Use the joint; a disabled joint does not hold its bodies", default=True
    )


class LimberMotor(LimberJointSettings, PropertyGroup):
    """A motor on one DoF of a joint. `bone` is the name of the joint's object or bone."""

    name: StringProperty(name="Name", description="Name of the motor")
    joint: PointerProperty(
        name="Joint", description="Object of the motor's joint; none: a bone's joint", type=Object
    )

    @property
    def label(self) -> str:
        """The motor's name in the interface. It names the axis of the object or bone, which may differ from
        the axis in the joint's frame.
        """
        return self.name

    value: FloatProperty(
        name="Value",
        description=MOTOR_VALUE,
        subtype="ANGLE",
        default=0.0,
        soft_min=-pi,
        soft_max=pi,
    )
    linear_value: in_metres("value", "Value", MOTOR_VALUE)
    keeps_value: BoolProperty(
        name="Keep Value",
        description=(
            "Keep this motor at its Value, which can be keyframed, while targets move the others: an"
            " antenna, a turntable. It leaves its Value only if the targets are out of reach otherwise"
        ),
        default=False,
    )


class LimberClosure(PropertyGroup):
    """An additional joint between two bones of an armature, which closes a loop."""

    name: StringProperty(name="Name", description="Name of the closure", default="Closure")
    first: StringProperty(name="First Bone", description="Bone that is held together with the second bone")
    second: StringProperty(name="Second Bone", description="Bone that is held together with the first bone")
    first_point: EnumProperty(
        name="First Point",
        description="Point of the first bone that is held at the second bone",
        items=POINTS,
        default="TAIL",
    )
    second_point: EnumProperty(
        name="Second Point",
        description="Point of the second bone that is held at the first bone",
        items=POINTS,
        default="TAIL",
    )
    kind: EnumProperty(
        name="Kind", description="Joint between the two bones", items=KINDS, default="spherical"
    )
    axis: EnumProperty(
        name="Axis",
        description="Axis of the first bone about or along which the joint moves",
        items=[(letter, letter, f"Use the first bone's {letter} axis") for letter in "XYZ"],
        default="X",
    )


class LimberMechanismGoal(PropertyGroup):
    """Goal of a body, or of the centre of mass of all bodies."""

    name: StringProperty(name="Name", description="Name of the goal in lists and messages", default="Goal")
    does: EnumProperty(
        name="Goal",
        description="Kind of goal: what the body must do, such as to be at a target",
        items=DOES,
        default="FRAME",
    )
    body: PointerProperty(
        name="Body",
        description="Body, or object on a body such as a tool or a sole, that follows the target",
        type=Object,
    )
    bone: StringProperty(name="Bone", description="Bone that follows the target, if bodies are bones")
    target: PointerProperty(
        name="Target", description="Object that the body follows, or the target bone's armature", type=Object
    )
    target_bone: StringProperty(
        name="Target Bone",
        description="Bone of the target armature whose pose the body follows. Empty: the object itself",
    )
    offset: FloatVectorProperty(
        name="Offset",
        description="Pose of the body in the target's own frame, as set by Keep Offset",
        size=16,
        subtype="MATRIX",
        default=(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        options={"HIDDEN"},
    )
    position_weight: FloatVectorProperty(
        name="Position",
        description=(
            "Weights of the position along the world's X, Y and Z, relative to the mechanism's other goals; 0"
            " leaves an axis free. Can be keyframed"
        ),
        default=EVENLY,
        min=0.0,
        soft_max=1000.0,
    )
    rotation_weight: FloatVectorProperty(
        name="Orientation",
        description=(
            "Weights of the orientation about the target's X, Y and Z axes (after Keep Offset: those of the"
            " kept pose), relative to the mechanism's other goals; 0 leaves an axis free. Can be keyframed"
        ),
        default=EVENLY,
        min=0.0,
        soft_max=1000.0,
    )
    axis: EnumProperty(
        name="Axis",
        description=(
            "Axis of the body that points along the same axis of the target (after Keep Offset: of the kept"
            " pose); the rotation about it is free"
        ),
        items=[(letter, letter, f"The {letter} axis") for letter in "XYZ"],
        default="Z",
    )
    direction_weight: FloatProperty(
        name="Direction",
        description=(
            "Weight of the angle between the axes of body and target, relative to the mechanism's other"
            " goals; 0 leaves the direction free. Can be keyframed"
        ),
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )


class LimberRestPosition(PropertyGroup):
    """World pose of an object in a mechanism's rest pose."""

    object: PointerProperty(
        name="Object", description="A body, a joint or the mechanism's owner", type=Object
    )
    matrix: FloatVectorProperty(
        name="Matrix", description="World matrix in the rest pose, row by row", size=16
    )


class LimberMechanism(LimberPostures, LimberMotionStyle, LimberRange, PropertyGroup):
    """A mechanism, also with closed loops. Its bodies are the objects that the listed joints connect, or the
    bones of the armature (`use_bones`).
    """

    uid: StringProperty(
        name="Identity", description="Identifier of the mechanism; empty: no mechanism", options={"HIDDEN"}
    )
    filter: filter_property()
    joints: CollectionProperty(name="Joints", description="Joints between objects", type=LimberMechanismJoint)
    active_joint: IntProperty(name="Joint", description="Joint whose settings the panel shows")
    use_bones: BoolProperty(
        name="Bones as Bodies",
        description="Use bones of this armature as bodies, and their free axes as joints",
    )
    floating_base: BoolProperty(
        name="Floating Base",
        description=(
            "Let goals determine the location of the robot, as for a robot that walks: no joint connects"
            " the armature's first bone to the armature"
        ),
    )
    closures_file: StringProperty(
        name="Closures", description="Content of the robot's file of closures", options={"HIDDEN"}
    )
    closures: CollectionProperty(
        name="Closures", description="Bones that are held together and close loops", type=LimberClosure
    )
    active_closure: IntProperty(name="Closure", description="Closure whose settings the panel shows")
    motors: CollectionProperty(
        name="Motors", description="Motors, each of which moves one degree of freedom", type=LimberMotor
    )
    active_motor: IntProperty(name="Motor", description="Motor whose settings the panel shows")
    goals: CollectionProperty(
        name="Goals", description="Goals of the bodies and of the centre of mass", type=LimberMechanismGoal
    )
    active_goal: IntProperty(name="Goal", description="Goal whose settings the panel shows")

    rest_pose: CollectionProperty(
        name="Rest Pose",
        description="Poses of bodies and joints in which the motors are at zero",
        type=LimberRestPosition,
        options={"HIDDEN"},
    )
    drive: EnumProperty(
        name="Driven By", description="Input that moves the mechanism", items=DRIVES, default="TARGETS"
    )
    live: BoolProperty(
        name="Live",
        description="Let the mechanism follow its goals or motors; switch it with Start Live and End Live",
        options={"HIDDEN"},
    )
    density: FloatProperty(
        name="Density",
        description=(
            "Density of bodies whose mass is automatic and given by neither a file nor a rigid body, in"
            " kilograms per cubic metre"
        ),
        default=1000.0,
        min=0.0,
        soft_max=8000.0,
        precision=0,
    )
    steady: FloatProperty(
        name="State Weight",
        description=(
            "Weight that keeps bodies near their poses in the last frame, which determines motion that"
            " targets leave free. Large values delay the motion; 0: off. R_state of Schumacher et al. 2021,"
            " who use 0.000001 to 0.01"
        ),
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=6,
    )
    velocity_weight: FloatProperty(
        name="Velocity Weight",
        description=(
            "Weight that slows bodies that rotate faster than the threshold, and so motors near singular"
            " poses, where a small motion of the target needs a large one of the motors; 0: off. Equations 4"
            " and 5 of Schumacher et al. 2021, who use 0.0001"
        ),
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=6,
    )
    velocity_threshold: FloatProperty(
        name="Threshold",
        description=(
            "Angular velocity of a body above which the velocity weight applies, as angle per second"
            " (Schumacher et al. 2021: 229 degrees)"
        ),
        subtype="ANGLE",
        default=4.0,
        min=0.01,
        soft_max=20.0,
    )

    @property
    def label(self) -> str:
        """The mechanism's name at the beginning of sentences."""
        return f"Mechanism '{self.id_data.name}'"

    @property
    def is_posed(self) -> bool:
        """Whether the pose is set by the motors' values instead of goals."""
        return self.drive == "MOTORS"
