"""Properties of chains with their joints and postures; and registration of all that Limber stores on an
object (an armature, or the owner or a part of a mechanism) and on a pose bone.

All of them are library-overridable, so that an armature linked from another file can have chains.
"""

import bpy
from bpy.types import Object, PoseBone, PropertyGroup

from ...solvers.table import SOLVERS
from ..blender.free_name import free_name
from ..chains import kept_posture
from ..scene.goal import CUSTOM, GOALS
from ..showing.thumbnails import gallery
from .authoring import TARGET_BONE, LimberAuthoring
from .body import LimberRetarget
from .enum_items import choice, keyed_enum
from .frame_range import LimberRange
from .joints import LimberJointSettings
from .mechanism import LimberBoneBody, LimberMechanism, LimberPart
from .motion_style import CHAIN_FILTERS, LimberMotionStyle, filter_property
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FactorProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
    WeightProperty,
)
from .postures import LimberPostures, kept_index
from .remote import LimberRemote
from .robot import LimberDevice
from .solver_options import LimberSolverOptions
from .zones import LimberZones


def _signed_axes(owner: str) -> list[tuple[str, str, str]]:
    """Enumeration items of the axes "+X" to "-Z" of an `owner`, such as "bone"."""
    return [
        (sign + axis, sign + axis, f"{word} the {owner}'s {axis} axis")
        for axis in "XYZ"
        for sign, word in (("+", "Along"), ("-", "Against"))
    ]


SIGNED_AXES, SIGNED_AXES_OF_TARGET = _signed_axes("bone"), _signed_axes("target")

FORWARD_AXES = [*SIGNED_AXES, (CUSTOM, "Custom", "Along a direction that you set, in the end bone's frame")]

GOAL_ITEMS = [(key, kind.label, kind.description) for key, kind in GOALS.items()]
ROLLS = [
    ("UPRIGHT", "Upright", "The end looks at the target and stays upright"),
    ("FREE", "Free Roll", "The end looks at the target with any roll"),
    (
        "POSTURE",
        "As in Posture",
        (
            "Keep the roll of the posture as far as the joints allow (solver Expressive; others leave the"
            " roll free)"
        ),
    ),
]


class LimberJoint(LimberJointSettings, PropertyGroup):
    """A joint of a chain: one axis of a bone, its limits, and its servo."""

    shape_weight: WeightProperty(
        name="Shape Weight",
        description=(
            "Weight of the bone, relative to the chain's other bones, in the shape that the Expressive solver"
            " keeps"
        ),
    )


def _make_unique(chain: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Adds a number to the chain's name if another chain of the armature has that name; an empty one becomes
    "Chain".
    """
    taken = {other.name for other in chain.id_data.limber.chains if other.uid != chain.uid}
    name = free_name(chain.name or "Chain", taken)
    if chain.name != name:
        chain.name = name


class LimberGoal:
    """Mixin of chains and of their additional ends: the goal of an end."""

    goal: EnumProperty(
        name="Goal",
        description=("What the end does with the target: look at it, copy its orientation, or reach for it"),
        items=GOAL_ITEMS,
        default="POINT",
    )
    target: PointerProperty(
        name="Target",
        description="Object that the end looks at, copies the orientation of, or reaches for",
        type=Object,
    )
    target_bone: StringProperty(name="Target Bone", description=TARGET_BONE)
    target_axis: EnumProperty(
        name="Target's Axis",
        description="Axis of the target that gives the direction to look in",
        items=SIGNED_AXES_OF_TARGET,
        default="+Y",
    )
    forward_axis: EnumProperty(
        name="Forward Axis",
        description="Axis of the end bone that should point at the target",
        items=FORWARD_AXES,
        default="+Y",
    )
    forward_direction: FloatVectorProperty(
        name="Forward Direction",
        description=(
            "Direction in the end bone's frame that should point at the target, for a custom forward axis"
        ),
        subtype="XYZ",
        size=3,
        default=(0.0, 1.0, 0.0),
    )
    up: EnumProperty(
        name="Up",
        description="Axis of the end bone that points up when the end is upright",
        items=SIGNED_AXES,
        default="+Z",
    )
    eye: FloatProperty(
        name="Eye",
        description="Point on the end bone that looks at or reaches the target: 0 its head, 1 its tail",
        default=1.0,
        soft_min=0.0,
        soft_max=1.0,
    )
    roll: EnumProperty(
        name="Roll", description="Roll of the end about its forward axis", items=ROLLS, default="FREE"
    )
    symmetric: BoolProperty(
        name="Symmetric End",
        description=(
            "Treat a roll of the end by 180 degrees about its forward axis as no change, as for a gripper with two"
            " fingers"
        ),
    )
    weight: WeightProperty(
        name="Weight",
        description=(
            "Weight of this goal, relative to the chain's other goals, if they cannot all be met. 0: no"
            " effect. To fade a chain out, use Influence"
        ),
    )


class LimberEnd(LimberGoal, PropertyGroup):
    """An additional end of a chain: a descendant of the chain's root, with a goal of its own."""

    # overrides identify items of a list by name
    name: StringProperty(name="Name", description="Name of the bone")
    bone: StringProperty(
        name="Bone", description="Bone that looks at the target, copies its orientation, or reaches for it"
    )
    enabled: BoolProperty(
        name="Enabled", description="Follow the goal; when off, the end keeps the posture", default=True
    )


class LimberChain(LimberGoal, LimberPostures, LimberAuthoring, LimberMotionStyle, LimberRange, PropertyGroup):
    """Joints from a root to one or several ends that one solver moves, with their postures and goals. `name`
    is unique in its armature.
    """

    name: StringProperty(
        name="Name", description="Name of the chain, unique in its armature", update=_make_unique
    )
    uid: StringProperty(
        name="Identity",
        description="Identifier of the chain, which stays when it is renamed",
        options={"HIDDEN"},
    )
    root: StringProperty(name="Root", description="First bone of the chain")
    end: StringProperty(name="End", description="Last bone of the chain, which has the chain's goal")
    joints: CollectionProperty(
        name="Joints", description="Joints that the solver moves, root first", type=LimberJoint
    )
    ends: CollectionProperty(
        name="Additional Goals",
        description=(
            "Additional ends of the chain with their own goals, which are solved together with the chain's"
            " goal"
        ),
        type=LimberEnd,
    )
    active_end: IntProperty(name="End", description="Selected additional end")
    active_joint: IntProperty(name="Joint", description="Selected joint")
    pictured_posture: EnumProperty(
        name="Posture",
        description="The selected posture: click to choose another by its picture",
        items=gallery.choices,
        get=kept_index,
        set=kept_posture.choose,
        options={"SKIP_SAVE"},
    )

    live: BoolProperty(
        name="Live",
        description="Let the chain follow its target; switch it with Start Live and End Live",
        options={"HIDDEN"},
    )
    sends_to_robot: BoolProperty(
        name="Send to Robot",
        description=(
            "Send the chain's joints to the robot. Off: their servos are left to another program, such as"
            " the robot's own walking program. A change takes effect when the robot is connected again"
        ),
        default=True,
    )
    keep: FactorProperty(
        name="Keep Posture",
        description=(
            "How much the solver keeps the posture in what the goal leaves free: 1 as far as possible, 0"
            " not at all"
        ),
        default=1.0,
    )

    filter: filter_property(CHAIN_FILTERS)  # new chains get `chain_settings.FILTER`
    solver: keyed_enum(
        "solver",
        name="Solver",
        description="Method that solves for the joint angles",
        items=[choice(key, info) for key, info in SOLVERS.items()],
        default="erik_exact",  # for files without this setting; new chains get `chain_settings.SOLVER`
    )
    options: PointerProperty(
        name="Solver Options",
        description="Settings of each solver, which stay when another solver is chosen",
        type=LimberSolverOptions,
    )
    look_ahead: BoolProperty(
        name="Look Ahead",
        description=(
            "Bake twice, the second time with the target's future positions: where it moves fast or suddenly,"
            " the end loses it on fewer frames. The result may differ from live motion, which has to"
            " extrapolate"
        ),
    )

    @property
    def label(self) -> str:
        """The chain's name at the beginning of sentences."""
        return f"Chain '{self.name}'"

    @property
    def is_posed(self) -> bool:
        """Whether the armature is in Pose Mode, in which the user poses the chain's bones."""
        return self.id_data.mode == "POSE"


class LimberRig(LimberZones, PropertyGroup):
    """Everything that Limber stores on an object: an armature, the owner of a mechanism, or an object that is
    part of a mechanism.
    """

    chains: CollectionProperty(
        name="Chains", description="Chains of bones from root to end that follow a target", type=LimberChain
    )
    active_chain: IntProperty(name="Chain", description="Chain that the panels show and the operators act on")
    device: PointerProperty(name="Device", description="Robot that follows the joints", type=LimberDevice)
    retarget: PointerProperty(
        name="Retarget",
        description="Settings of the armature's body, which follows another armature or a stream",
        type=LimberRetarget,
    )
    remote: PointerProperty(name="Remote", description="Remote control by other programs", type=LimberRemote)
    mechanism: PointerProperty(
        name="Mechanism",
        description="Mechanism that the object owns: bodies and joints, also in closed loops",
        type=LimberMechanism,
    )
    part: PointerProperty(
        name="Part", description="Role of the object as a body or joint of a mechanism", type=LimberPart
    )


PROPERTIES = {
    (Object, "limber"): PointerProperty(
        name="Limber", description="Chains, robot and mechanism", type=LimberRig
    ),
    (PoseBone, "limber_body"): PointerProperty(
        name="Limber Body", description="Settings of the bone as a body of a mechanism", type=LimberBoneBody
    ),
}
