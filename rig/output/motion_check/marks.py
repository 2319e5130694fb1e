"""Timeline markers for findings, which can be told from the user's markers and removed."""

from collections.abc import Iterable

import bpy

from .findings import KINDS, MotionFinding

PREFIX = "Limber: "  # beginning of the names of Motion Check's timeline markers


def put(scene: bpy.types.Scene, findings: Iterable[MotionFinding]) -> int:
    """Replaces Limber's markers by one at the worst frame of each finding, one per frame and kind; returns
    the number of new markers.
    """
    clear(scene)
    joints: dict[tuple[int, str], list[str]] = {}
    for finding in findings:
        joints.setdefault((finding.worst, finding.kind), []).append(finding.subject)
    for (frame, kind), names in joints.items():
        scene.timeline_markers.new(f"{PREFIX}{KINDS[kind].label} {', '.join(names)}", frame=frame)
    return len(joints)


def clear(scene: bpy.types.Scene) -> int:
    """Removes Limber's markers; returns the number of removed ones."""
    ours = [marker for marker in scene.timeline_markers if marker.name.startswith(PREFIX)]
    for marker in ours:
        scene.timeline_markers.remove(marker)
    return len(ours)


def are_there(scene: bpy.types.Scene) -> bool:
    return any(marker.name.startswith(PREFIX) for marker in scene.timeline_markers)
