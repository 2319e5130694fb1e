"""State of the Motion Check panel: the list of findings and the thresholds. It lasts for the session and is
not saved.
"""

from functools import partial
from math import radians

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import check
from .findings import KINDS, MotionFinding

# property for an angle [rad] up to which errors are not reported
_LargestAngle = partial(
    FloatProperty, subtype="ANGLE", default=radians(5), min=radians(0.1), max=radians(180)
)


def _jump(view: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Goes to the frame where the selected finding is worst."""
    if 0 <= view.active < len(view.findings):
        context.scene.frame_set(view.findings[view.active].frame)


class LimberFinding(bpy.types.PropertyGroup):
    """A row in the list of findings."""

    name: StringProperty(name="Finding", description="What the check found, as a sentence")
    subject: StringProperty(
        name="Subject", description="Joint, link, chain, body or mechanism in which the problem is"
    )
    kind: StringProperty(
        name="Kind", description="What is wrong, such as a jump or lost aim; decides the icon"
    )
    frame: IntProperty(name="Frame", description="Frame in which the finding is worst")
    until: IntProperty(name="Last Frame", description="Last frame of the finding")
    since: IntProperty(name="First Frame", description="First frame of the finding")


class LimberMotionCheck(bpy.types.PropertyGroup):
    """The list of findings, and the thresholds."""

    findings: CollectionProperty(
        name="Findings", description="Findings, the most serious first", type=LimberFinding
    )
    active: IntProperty(
        name="Finding", description="Select a finding to jump to the frame where it is worst", update=_jump
    )
    lost_beyond: _LargestAngle(
        name="Lost Beyond",
        description=(
            "Largest angle by which the end, after the motion filter, may look past its target. Beyond it the"
            " target counts as lost"
        ),
    )
    changed_beyond: _LargestAngle(
        name="Filter Beyond",
        description="Largest change of a joint's value by the motion filter that is not reported",
    )


def show(view: LimberMotionCheck, findings: tuple[MotionFinding, ...]) -> None:
    """Fills the list without changing the frame."""
    view.findings.clear()
    for finding in findings:
        line = view.findings.add()
        line.name, line.subject, line.kind = finding.sentence, finding.subject, finding.kind
        line.frame, line.since, line.until = finding.worst, finding.first, finding.last
    view.active = -1  # nothing is selected, since a selection jumps to its frame


def forget() -> None:
    """Empties the list and discards all results, before Blender frees the data that they refer to."""
    check.forget()
    for manager in bpy.data.window_managers:
        manager.limber_motion_check.findings.clear()


def label(line: LimberFinding) -> str:
    """Text of a row: frames, kind and subject."""
    frames = f"{line.since}" if line.since == line.until else f"{line.since}-{line.until}"
    return f"{frames}  {KINDS[line.kind].label}: {line.subject}"


PROPERTIES = {
    (bpy.types.WindowManager, "limber_motion_check"): PointerProperty(
        name="Motion Check", description="Results of the last Motion Check", type=LimberMotionCheck
    )
}
