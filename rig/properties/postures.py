"""Properties of a mover's stored postures: the list, and the posture that the mover keeps."""

import bpy
from bpy.types import Action, PropertyGroup

from ..chains import kept_posture
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FactorProperty,
    IntProperty,
    PointerProperty,
)

BASES = [
    (
        "RIG",
        "Pose and Animation",
        "Keep the authored pose: as posed by hand, or as moved by keyframes, NLA strips and drivers",
    ),
    ("POSTURE", "Stored Posture", "Keep the stored posture that is selected, which can be keyframed"),
    (
        "BLEND",
        "Blend of Postures",
        "Keep a blend of stored postures by their weights, which can be keyframed",
    ),
]


class LimberPosture(PropertyGroup):
    """A stored posture: a pose asset, which Blender's pose library shows and applies too. Its name is the
    name of the action.
    """

    action: PointerProperty(name="Pose", description="Pose asset of the posture", type=Action)
    weight: FactorProperty(
        name="Weight",
        description=(
            "Weight of the posture in a blend. Weights that sum to more than 1 are normalised; if they sum"
            " to less, the authored pose has the rest of the weight"
        ),
        default=0.0,
    )
    number: IntProperty(
        name="Number",
        description="Unique number of the posture in its list; 0: not assigned yet",
        min=0,
        options={"HIDDEN"},
    )
    adopted: BoolProperty(
        name="Adopted",
        description=(
            "The pose asset existed before it became a posture, and stays when the posture is removed"
        ),
        options={"HIDDEN"},
    )


def kept_index(mover: bpy.types.PropertyGroup) -> int:
    """Index of the posture that a chain or mechanism keeps, given its settings; -1 if there is none."""
    index = kept_posture.kept_index(mover)
    return -1 if index is None else index


class LimberPostures:
    """Mixin of the settings of movers that keep postures: chains and mechanisms."""

    label: str  # name of the mover at the beginning of a sentence

    postures: CollectionProperty(
        name="Postures",
        description=("Stored postures that the chain or mechanism can keep"),
        type=LimberPosture,
    )
    posture: EnumProperty(
        name="Posture",
        description=(
            "Stored posture to keep. Its keyframes are constant, and still choose the same posture"
            " when the list changes"
        ),
        items=kept_posture.items,
    )
    last_posture: IntProperty(
        name="Last Posture",
        description=("Highest number that a posture of this list has had"),
        min=0,
        options={"HIDDEN"},
    )
    active_posture: IntProperty(
        name="Posture",
        description="Index of the posture to keep, in files saved before postures had numbers",
        options={"HIDDEN", "ANIMATABLE"},
    )
    shown_posture: IntProperty(
        name="Posture",
        description="Index of the posture to keep",
        get=kept_index,
        set=kept_posture.choose,
        options={"SKIP_SAVE"},
    )
    base: EnumProperty(
        name="Base",
        description="Posture that the chain or mechanism keeps as far as its goal allows",
        items=BASES,
    )

    @property
    def in_sentence(self) -> str:
        """The mover's label within a sentence."""
        return self.label[0].lower() + self.label[1:]
