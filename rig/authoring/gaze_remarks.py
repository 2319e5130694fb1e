"""Sentences on what Eyes, Head and Torso has chosen or set up, which a user may want otherwise."""

from collections.abc import Mapping

from ..blender.counting import named
from . import gaze_bones, gaze_controls


def of_missing(has_torso: bool, has_eyes: bool) -> list[str]:
    """The sentence on missing parts and on what takes their share of a look; none if no part is missing."""
    if has_torso and has_eyes:
        return []
    if has_torso:
        return [
            "No eyes were found, so the head looks all the way; if there are some, choose them in Adjust Last"
            " Operation"
        ]
    if has_eyes:
        return [
            "No torso was found, so head and eyes take the whole look; if there is one, choose it in Adjust"
            " Last Operation"
        ]
    return [
        "No torso and no eyes were found, so the head takes the whole look; if there are some, choose them in"
        " Adjust Last Operation"
    ]


def of_head(bones: Mapping[str, str | None], head: str, switched: list[str]) -> list[str]:
    """Sentences on other heads, and on the rig's properties that were switched on.

    Args:
        bones: Parent of each bone of the armature.
        head: The bone that looks.
        switched: The rig's properties that were switched on.
    """
    remarks = []
    if more_heads := [bone for bone in gaze_bones.heads(bones, head) if bone != head]:
        do = "do" if len(more_heads) > 1 else "does"
        remarks.append(
            f"Of several heads '{head}' looks; {named(more_heads)} {do} not: for another one,"
            f" {gaze_bones.SELECT}"
        )
    if switched:
        remarks.append(f"Neck and head share the look: set {' and '.join(switched)}")
    return remarks


def of_control(control: str, target: str) -> str:
    """The sentence on a control at which eyes point, and which goes to a target now."""
    return f"The eyes point at '{control}', which goes to '{target}' by the constraint '{gaze_controls.CONSTRAINT}'"
