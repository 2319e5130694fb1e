"""Properties of a chain besides its goal: influence, transition of postures, attention, eyes and life."""

from math import pi, radians

from bpy.types import Object, PropertyGroup

from .eyes import LimberEyes
from .overridable import (
    CollectionProperty,
    FactorProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    SecondsProperty,
    StringProperty,
)

TARGET_BONE = (
    "Bone of the target armature, such as that of an animated character: the target is at the head of this"
    " bone. Empty: the target is the object itself"
)


def _carried(name: str, where: str) -> object:
    """A property: how far what a chain carries can look in a direction."""
    return FloatProperty(
        name=name,
        description=(
            f"Largest angle of a look {where} that this chain leaves to the chains that it carries, such as a"
            " head and its eyes: as far as they can look. The chain rotates by what is beyond it, more and"
            " more as they approach their limits. 180 degrees: no limit; 0: the chain takes all"
        ),
        default=pi,  # for files without this setting
        min=0.0,
        max=pi,
        subtype="ANGLE",
    )


class LimberTarget(PropertyGroup):
    """An additional target of a chain."""

    # overrides identify items of a list by name
    name: StringProperty(name="Name", description="Name of the target")
    target: PointerProperty(
        name="Target",
        description="Object that the chain can look at, match the orientation of, or reach for",
        type=Object,
    )
    target_bone: StringProperty(name="Target Bone", description=TARGET_BONE)


class LimberLife(PropertyGroup):
    """Breathing, sway and glances that are added to a chain's posture."""

    amount: FactorProperty(
        name="Amount",
        description=(
            "Strength of the motion added to the posture while frames play; 0: none. Can be keyframed"
        ),
        default=0.0,
    )
    breathing: FloatProperty(
        name="Breathing",
        description=(
            "How far breathing, at Amount 1, moves the joint that lifts the end most, to either side of the"
            " posture. Other joints move less. 0: no breathing"
        ),
        default=radians(2),
        min=0.0,
        soft_max=radians(15),
        subtype="ANGLE",
    )
    sway: FloatProperty(
        name="Sway",
        description=(
            "How far the slow sway, at Amount 1, moves the first joint of the chain, to either side of the"
            " posture. Joints nearer to the end move less. 0: no sway"
        ),
        default=radians(2),
        min=0.0,
        soft_max=radians(15),
        subtype="ANGLE",
    )
    glances: FloatProperty(
        name="Glances",
        description=(
            "Largest angle by which the last joints dart away from the posture and back, at Amount 1; 0: no"
            " glances. The gaze keeps its target, so they are visible where Influence or Share is below 1"
        ),
        default=radians(4),
        min=0.0,
        soft_max=radians(30),
        subtype="ANGLE",
    )
    seed: IntProperty(
        name="Seed",
        description=("Seed of the random motion: the same seed gives the same motion"),
        default=0,
        min=0,
    )


class LimberAuthoring:
    """Mixin of chains: influence, transition, attention, limit and offset of the look, eyes, and life."""

    influence: FactorProperty(
        name="Influence",
        description=(
            "Influence of the goal. At 1 the end follows it, at 0 the chain keeps its posture or animation;"
            " values between interpolate each joint. A motion filter keeps joints within their limits"
        ),
        default=1.0,
    )
    transition: SecondsProperty(
        name="Transition",
        description=(
            "Duration of a change of posture; 0: as fast as possible with half of the joints' velocity,"
            " acceleration and jerk limits"
        ),
        default=0.0,
        soft_max=10.0,
    )
    share: FactorProperty(
        name="Share",
        description=(
            "Share of the rotation from the posture's gaze to the target that the chain makes; 1: all of"
            " it. Use, for example, 1 for the eyes, 0.7 for the head and 0.2 for the torso"
        ),
        default=1.0,
    )
    carried_left: _carried("Carried Left", "to the left")
    carried_right: _carried("Carried Right", "to the right")
    carried_up: _carried("Carried Up", "up")
    carried_down: _carried("Carried Down", "down")
    dead_zone: FloatProperty(
        name="Dead Zone",
        description=(
            "Angle, seen from the chain's root, by which the target may move before the chain follows. The"
            " chain then stays behind the target by this angle"
        ),
        default=0.0,
        min=0.0,
        max=radians(90),
        subtype="ANGLE",
    )
    lag: SecondsProperty(
        name="Lag",
        description=(
            "Time by which the chain is late when it follows a target that moves steadily; 0: no delay"
        ),
        default=0.0,
        soft_max=2.0,
    )
    widest_look: FloatProperty(
        name="Widest Look",
        description=(
            "Largest angle between the look and the direction that the character faces. For targets beyond"
            " it the look stops at this angle, and crosses to the other side when the target has passed"
            " behind the character. 180 degrees: no limit"
        ),
        default=pi,  # for files without this setting; new chains without limits get `chain_settings.WIDEST_LOOK`
        min=0.0,
        max=pi,
        subtype="ANGLE",
    )
    look_aside: FloatProperty(
        name="Look Aside",
        description=(
            "Angle by which the end looks past the target, to the end's left; negative: to its right. Can be"
            " keyframed"
        ),
        default=0.0,
        min=-pi,
        max=pi,
        subtype="ANGLE",
    )
    look_up: FloatProperty(
        name="Look Up",
        description="Angle by which the end looks above the target; negative: below it. Can be keyframed",
        default=0.0,
        min=-pi / 2,
        max=pi / 2,
        subtype="ANGLE",
    )
    targets: CollectionProperty(
        name="Additional Targets",
        description="Targets that the chain can follow instead of its own",
        type=LimberTarget,
    )
    active_target: IntProperty(name="Target", description="Selected additional target")
    watch: IntProperty(
        name="Watch",
        description=(
            "Number of the target that the chain follows: 0 its own, 1 the first of the additional ones, and"
            " so on; a larger number: the last. Can be keyframed"
        ),
        default=0,
        min=0,
    )
    change: SecondsProperty(
        name="Change",
        description=(
            "Duration of the move of the look from one target to another and, without a motion filter,"
            " after a jump of the target"
        ),
        default=0.5,
        soft_max=5.0,
    )
    eyes: PointerProperty(
        name="Eyes",
        description=(
            "Settings of the eyes at the chain's end: blinks, eyelids, and looks away from the target"
        ),
        type=LimberEyes,
    )
    life: PointerProperty(
        name="Life",
        description="Settings of the idle motion: breathing, sway and glances on top of the posture",
        type=LimberLife,
    )
