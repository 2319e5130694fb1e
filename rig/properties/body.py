"""Properties of a retarget: the source, pairs of bones with their calibration, and how the body follows."""

from math import inf

import bpy
from bpy.types import Object, PropertyGroup

from ...character.body.humanoid import PORT as VMC_PORT
from ...motion import NO_FILTER
from .coupled import LimberCoupledLimit
from .frame_range import LimberRange
from .motion_style import BODY_FILTERS, LimberMotionStyle, filter_property
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
    WeightProperty,
)

UID = "retarget"  # uid of the body among the movers of its armature
INPUTS = [
    ("ARMATURE", "Armature", "Another armature of the scene, from a motion-capture clip or animated by hand"),
    (
        "OSC",
        "OSC over UDP",
        "Link orientations that another program sends; nothing listens before Listen is pressed",
    ),
    (
        "VMC",
        "VMC Protocol",
        "A performer from VSeeFace, Warudo, mocopi and others, by the Virtual Motion Capture protocol",
    ),
]
CALIBRATIONS = [
    (
        "REST",
        "Rest Poses",
        "Use the rest poses: facing in the same direction, the target's arms and legs along the source's",
    ),
    (
        "POSE",
        "Poses as They Are",
        "Use the current poses: pose the target like the source in this frame, facing in the same direction",
    ),
]


OSC_PORT = 9000  # default UDP port for link orientations by OSC


def _offer_port(retarget: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Sets the default port of the chosen stream, if the current port is the default of a stream."""
    usual = {"OSC": OSC_PORT, "VMC": VMC_PORT}
    if retarget.input in usual and retarget.port in usual.values():
        retarget.port = usual[retarget.input]


def _uncalibrate(pair: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Marks a pair as not calibrated when one of its bones changes."""
    pair.calibrated = False


class LimberPair(PropertyGroup):
    """A bone of the target, and the bone of the source that it follows."""

    # overrides identify items of a list by name
    name: StringProperty(name="Name", description="Name of the target's bone")
    target: StringProperty(
        name="Target Bone",
        description="Bone of this armature that follows the source bone",
        update=_uncalibrate,
    )
    source: StringProperty(
        name="Source Bone", description="Bone of the source that the target bone follows", update=_uncalibrate
    )
    enabled: BoolProperty(
        name="Enabled",
        description="Follow the source bone. When off, the other pairs determine the bone",
        default=True,
    )
    weight: WeightProperty(
        name="Weight",
        description=(
            "Weight of this bone, relative to the other bones, if they cannot all follow their sources"
        ),
    )
    level: IntProperty(
        name="Level",
        description=(
            "Priority if the bones cannot all follow their sources, whatever the weights: bones of level 0"
            " first, then those of level 1 without disturbing level 0, and so on"
        ),
        min=0,
        soft_max=3,
        max=9,
    )
    position_weight: FloatProperty(
        name="Position",
        description=(
            "How strongly the bone's head also follows the position of the source bone's head, for example of"
            " a hand that holds an object. 0: rotation only; at 100, a distance of 10 cm counts like a"
            " rotation error of 57 degrees at weight 1"
        ),
        default=0.0,
        min=0.0,
        soft_max=1000.0,
    )
    gain: FloatProperty(
        name="Gain",
        description=("Rate per second at which this bone's errors are corrected. 0: the body's Gain"),
        default=0.0,
        min=0.0,
        soft_max=100.0,
    )
    plant: BoolProperty(
        name="Plant", description="Plant this foot while the source's foot stands still near the floor"
    )
    offset: FloatVectorProperty(
        name="Calibration",
        description="Rotation of the bone in its source bone's frame (w, x, y, z), as measured by Calibrate",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
        options={"HIDDEN"},
    )
    calibrated: BoolProperty(
        name="Calibrated",
        description="Calibrate has stored the bone's rotation in its source bone's frame",
        options={"HIDDEN"},
    )


class LimberRetarget(LimberMotionStyle, LimberRange, PropertyGroup):
    """Settings of retargeting: this armature's body follows another armature, or a stream."""

    uid = UID
    look_ahead = False  # a body cannot use future targets

    name: StringProperty(
        name="Name", description=("Name of the body in messages"), default="Retarget", options={"HIDDEN"}
    )
    source: PointerProperty(
        name="Source",
        description="Armature whose motion is followed: from a motion-capture clip, or any animated one",
        type=Object,
        poll=lambda retarget, obj: (
            obj.type == "ARMATURE" and obj != retarget.id_data and "limber_proxy_of" not in obj
        ),
    )
    input: EnumProperty(
        name="Follow",
        description=(
            "Source of the motion that the body follows: an armature, or a stream from another program"
        ),
        items=INPUTS,
        update=_offer_port,
    )
    host: StringProperty(
        name="Address",
        description=(
            "Address of this computer on which to listen: 127.0.0.1 for this computer only, 0.0.0.0 for its"
            " networks too"
        ),
        default="127.0.0.1",
    )
    port: IntProperty(
        name="Port", description="UDP port on which to listen", default=OSC_PORT, min=1, max=65535
    )
    pairs: CollectionProperty(
        name="Pairs",
        description="Bones of this armature, each paired with the source bone that it follows",
        type=LimberPair,
    )
    active_pair: IntProperty(name="Pair", description="Pair whose settings are shown")
    live: BoolProperty(
        name="Live",
        description="Let the body follow the source; switch it with Start Live and End Live",
        options={"HIDDEN"},
    )
    calibrate_from: EnumProperty(
        name="Calibrate From",
        description=(
            "Poses in which both armatures match, from which Calibrate computes the offsets of the pairs"
        ),
        items=CALIBRATIONS,
    )
    scale: FloatProperty(
        name="Scale",
        description=(
            "Size of this body relative to the source: the source's path and height are multiplied by it."
            " Calibrate sets it to the ratio of the legs' lengths or, without known legs, of the bodies'"
        ),
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1e6,
        precision=4,
    )
    on_floor: BoolProperty(
        name="Stand on Floor",
        description=(
            "Set the height of the body so that its feet are on the floor when the source's are. Planted feet"
            " stay on the floor"
        ),
        default=True,
    )
    source_foot_height: FloatProperty(
        name="Source Feet",
        description=(
            "Height of the source's foot bones above its origin when it stands, as measured by Calibrate"
        ),
        subtype="DISTANCE",
        precision=4,
    )
    foot_height: FloatProperty(
        name="Foot Height",
        description=(
            "Height of this armature's foot bones above their soles at rest, as measured by Calibrate"
        ),
        options={"HIDDEN"},
    )
    foot_heights_known: BoolProperty(
        name="Foot Heights Are Known",
        description=("Calibrate has measured the foot heights"),
        options={"HIDDEN"},
    )
    shift: FloatVectorProperty(
        name="Shift",
        description=("Displacement of the whole body in the world, relative to the source's scaled path"),
        subtype="TRANSLATION",
        size=3,
    )
    paired_only: BoolProperty(
        name="Paired Bones Only",
        description=(
            "Move paired bones only: bones between them, such as other controls of a generated rig, keep"
            " their pose"
        ),
    )
    velocity: FloatProperty(
        name="Fastest Joint",
        description="Largest speed of every joint, as an angle per second; 0: no limit",
        subtype="ANGLE",
        min=0.0,
        soft_max=12.0,
    )
    own_velocities: BoolProperty(
        name="Own Velocities",
        description=(
            "Each joint also keeps its own velocity limit: the limit in its chain, else the limit in the"
            " robot's file"
        ),
    )
    acceleration: FloatProperty(
        name="Acceleration",
        description=(
            "Largest acceleration of every joint, as an angle per second squared, for soft starts and stops."
            " Where a joint would exceed its range it may brake harder. 0: no limit"
        ),
        subtype="ANGLE",
        min=0.0,
        soft_max=120.0,
    )
    filter: filter_property(BODY_FILTERS, NO_FILTER)
    gain: FloatProperty(
        name="Gain",
        description=(
            "How fast errors are corrected, as a rate per second: at 20, about a tenth of an error is left"
            " after a tenth of a second; 0: at once. The motion itself is followed without lag"
        ),
        min=0.0,
        soft_max=100.0,
        max=inf,
    )
    posture_gain: FloatProperty(
        name="Return to Pose",
        description=(
            "How fast joints that no pair determines return to this armature's own pose and keyframes, as a"
            " rate per second; 0: they stay where they are"
        ),
        min=0.0,
        soft_max=10.0,
    )
    coupled_limits: CollectionProperty(
        name="Coupled Limits",
        description="Limits of weighted sums of joint angles",
        type=LimberCoupledLimit,
    )
    active_coupled_limit: IntProperty(
        name="Coupled Limit", description="Coupled limit whose joints are shown"
    )
