"""Properties of a chain's eyes: blinks, eyelids, and looks away from the target."""

from math import radians

import bpy
from bpy.types import PropertyGroup

from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FactorProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)

# (armature's session_uid, chain's uid) -> how far the chain's eyelids were last shown closed: 0 open, 1
# closed, below 0 wider open
shown_lids: dict[tuple[int, str], float] = {}


def _lid(eyes: bpy.types.PropertyGroup) -> float:
    """How far a live chain's eyelids are closed: 0 open, 1 closed, below 0 wider; 0 if it is not live."""
    chain = next((chain for chain in eyes.id_data.limber.chains if chain.eyes == eyes), None)
    if chain is None or not chain.live:
        return 0.0
    return shown_lids.get((eyes.id_data.session_uid, chain.uid), 0.0)


class LimberLid(PropertyGroup):
    """An eyelid: a bone that rotates from its posed rotation, in which the eye is open, to closed."""

    # overrides identify items of a list by name
    name: StringProperty(name="Name", description="Name of the eyelid")
    bone: StringProperty(name="Bone", description="Bone of the eyelid")
    axis: EnumProperty(
        name="Axis",
        description="Axis of the bone about which the eyelid rotates",
        items=[(axis, axis, f"The bone's {axis} axis") for axis in "XYZ"],
    )
    closed: FloatProperty(
        name="Closed",
        description="Rotation of the bone from open to closed; negative: in the opposite direction",
        default=radians(40),
        subtype="ANGLE",
    )


class LimberEyes(PropertyGroup):
    """Settings of the eyes at the end of a chain."""

    enabled: BoolProperty(name="Eyes", description="Let the chain's end blink and look away, as eyes do")
    blinks: FloatProperty(
        name="Blinks",
        description=(
            "How often the eyes blink: at 1 every 2 to 6 seconds, at 2 twice as often, and at any value above"
            " 0 also at shifts of the gaze over 20 degrees and at the end of speech. 0: never"
        ),
        default=1.0,
        min=0.0,
        max=10.0,
    )
    aversion: FactorProperty(
        name="Looks Away",
        description=(
            "How far the end looks away from the target, each time for 0.5 to 4 seconds, after 2 to 5 seconds"
            " of a look at it: at 1 by up to 20 degrees to the side and 30 up or down. 0: never"
        ),
        default=0.0,
    )
    follow: FactorProperty(
        name="Lids Follow",
        description=(
            "How far the eyelids follow when the gaze goes up or down: 1 by the same angle, 0 not at all"
        ),
        default=0.7,
    )
    seed: IntProperty(
        name="Seed",
        description="Seed of the random times and directions of blinks and looks away",
        default=0,
        min=0,
    )
    lids: CollectionProperty(name="Lids", description="Bones of the eyelids", type=LimberLid)
    active_lid: IntProperty(name="Lid", description="Selected eyelid")
    lid: FloatProperty(
        name="Lids Closed",
        description=(
            "How far the eyelids are closed while the chain is live: 0 open, 1 closed, below 0 wider open. A"
            " value of the robot can follow it"
        ),
        get=_lid,
        options={"SKIP_SAVE"},
    )
