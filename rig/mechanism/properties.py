"""What Limber keeps of mechanisms in the .blend: on the object that owns one, and on the objects that are its bodies and joints."""

from math import pi

from bpy.types import Collection, Object, PropertyGroup

from ..character_properties import LimberCharacter
from ..joint_properties import LimberJointSettings, in_metres
from ..overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from ..range_properties import LimberRange

KINDS = [
    ("fixed", "Fixed", "Nothing moves: two bodies are one"),
    ("revolute", "Revolute", "Turns about the joint's Z axis: a hinge"),
    ("prismatic", "Prismatic", "Slides along the joint's Z axis"),
    ("cylindrical", "Cylindrical", "Slides along the joint's Z axis and turns about it"),
    ("spherical", "Spherical", "Turns every way about a point: a ball"),
    ("universal", "Universal", "Turns about the joint's X axis, then about its Y axis: a cardan joint"),
    ("cartesian", "Cartesian", "Slides every way, turns none"),
    ("planar", "Planar", "Slides along the joint's X and Y axes and turns about its Z axis"),
]
NONE = "NONE"
ROLES = [
    ("AUTO", "As Its Rigid Body", "A passive rigid body stands still, an animated one drives; all else moves"),
    ("GROUND", "Ground", "Stands still: the mechanism is mounted on it"),
    ("DRIVEN", "Driven", "Moves as its parent, its keys or a live chain say, and takes the mechanism along"),
    ("MOVES", "Moves", "The mechanism moves it"),
]
DOES = [
    ("FRAME", "Reach and Orient", "The body is at the target's place and turned as the target"),
    ("POSITION", "Reach Position", "The body is at the target's place, turned any way"),
    ("ORIENTATION", "Match Orientation", "The body is turned as the target, at any place"),
    ("CENTRE", "Centre of Mass", "The centre of mass of all bodies is at the target's place"),
]
DRIVES = [
    ("TARGETS", "Targets", "Targets say where bodies are to be; the motors follow from that"),
    ("MOTORS", "Motors", "The motors' values, which may have keys, say where everything is"),
]
EVENLY = (1.0, 1.0, 1.0)


class LimberPart(PropertyGroup):
    """What an object is in a mechanism: the role of a body, or a joint between two bodies, which is where the object is."""

    role: EnumProperty(name="Role", description="What moves this body", items=ROLES, default="AUTO")
    kind: EnumProperty(
        name="Joint",
        description="How this object joins two bodies",
        items=[(NONE, "None", "This object is no joint of Limber's own"), *KINDS],
        default=NONE,
    )
    first: PointerProperty(name="First Body", description="Body on which the joint is mounted; none: the world", type=Object)
    second: PointerProperty(name="Second Body", description="Body that the joint lets move", type=Object)
    meets: PointerProperty(
        name="Meets",
        description="Object on the second body that the joint is to meet there, where the sketch has a gap; none: they meet already",
        type=Object,
    )
    zero: StringProperty(name="Places", description="Where the object is in the sketches of mechanisms, by their marks", options={"HIDDEN"})


class LimberMotor(LimberJointSettings, PropertyGroup):
    """A freedom of a joint that a motor moves. `bone` is the name of the joint: its object's, or its bone's."""

    name: StringProperty(name="Name", description="Name of the motor")
    joint: PointerProperty(name="Joint", description="The joint's object; none: the joint of a bone", type=Object)
    value: FloatProperty(
        name="Value",
        description="Where the motor is: for a mechanism that is driven by its motors, and of baked motion",
        subtype="ANGLE",
        default=0.0,
        soft_min=-pi,
        soft_max=pi,
    )
    slide_value: in_metres("value", "Value", "Where the motor is: for a mechanism that is driven by its motors, and of baked motion")


class LimberClosure(PropertyGroup):
    """Two bones of an armature that are held together, beside what the hierarchy says: it closes a loop."""

    name: StringProperty(name="Name", description="Name of the closure", default="Closure")
    first: StringProperty(name="First Bone", description="Bone whose tail is where the joint is")
    second: StringProperty(name="Second Bone", description="Bone whose tail meets that of the first one")
    kind: EnumProperty(name="Kind", description="How they are held together", items=KINDS, default="spherical")
    axis: EnumProperty(
        name="Axis",
        description="Axis of the first bone that is the joint's own",
        items=[(letter, letter, f"The first bone's {letter} axis") for letter in "XYZ"],
        default="X",
    )


class LimberMechanismGoal(PropertyGroup):
    """What a body is to do, or the centre of mass of them all."""

    name: StringProperty(name="Name", description="Name of the goal", default="Goal")
    does: EnumProperty(name="Goal", description="What the body does", items=DOES, default="FRAME")
    body: PointerProperty(
        name="Body", description="Body that follows, or an object on it (a foot's sole, a tool) that is to be at the target", type=Object
    )
    bone: StringProperty(name="Bone", description="Bone that follows, where bodies are bones")
    target: PointerProperty(name="Target", description="Object that says where", type=Object)
    place_weight: FloatVectorProperty(
        name="Place",
        description="How much the place counts along the world's axes; 0 leaves one free, keys change it in time",
        default=EVENLY,
        min=0.0,
        soft_max=10.0,
    )
    turn_weight: FloatVectorProperty(
        name="Turn",
        description="How much the turn counts about the target's axes; 0 leaves one free, keys change it in time",
        default=EVENLY,
        min=0.0,
        soft_max=10.0,
    )


class LimberMechanism(LimberCharacter, LimberRange, PropertyGroup):
    """Bodies and joints with closed loops. What the bodies are is read from the scene."""

    uid: StringProperty(name="Identity", description="Tells the mechanism from all others; empty: there is none", options={"HIDDEN"})
    collection: PointerProperty(
        name="Joints In",
        description="Collection with the joints: rigid body constraints, and empties with a joint of Limber's",
        type=Collection,
    )
    anchor: PointerProperty(
        name="Own Joint", description="A joint that tells the mechanism from others of the same collection", type=Object, options={"HIDDEN"}
    )
    use_bones: BoolProperty(name="Bones Are Bodies", description="Bones of this armature are bodies, their free axes joints")
    closures_file: StringProperty(
        name="Closures", description="Text of the file that came with the robot and says which links are held together", options={"HIDDEN"}
    )
    closures: CollectionProperty(name="Closures", description="Bones that are held together and close loops", type=LimberClosure)
    active_closure: IntProperty(name="Closure", description="The closure whose settings are shown")
    motors: CollectionProperty(name="Motors", description="Freedoms that a motor moves", type=LimberMotor)
    active_motor: IntProperty(name="Motor", description="The motor whose settings are shown")
    goals: CollectionProperty(name="Goals", description="What bodies are to do", type=LimberMechanismGoal)
    active_goal: IntProperty(name="Goal", description="The goal whose settings are shown")

    zero: StringProperty(
        name="Sketch", description="Mark of the places that bodies and joints keep: there the motors are at zero", options={"HIDDEN"}
    )
    drive: EnumProperty(name="Driven By", description="What says where the mechanism is", items=DRIVES, default="TARGETS")
    live: BoolProperty(name="Live", description="The mechanism follows; switch it with the Live button", options={"HIDDEN"})
    steady: FloatProperty(
        name="Calm",
        description="How much bodies rather stay where they were: keeps motors slow where a small move of the target needs a large one",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=4,
    )


CLASSES = (LimberPart, LimberMotor, LimberClosure, LimberMechanismGoal, LimberMechanism)
