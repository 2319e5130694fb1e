"""Timeline markers for findings; by their names they can be distinguished from the user's markers and
removed.
"""

from collections.abc import Iterable

import bpy

from .findings import KINDS, MotionFinding

PREFIX = "Limber: "  # beginning of the names of Motion Check's timeline markers


def put(scene: bpy.types.Scene, findings: Iterable[MotionFinding]) -> int:
    """Replaces Limber's markers by new markers at the worst frame of each finding, at most one per frame and
    kind of finding; returns the number of new markers.
    """
    clear(scene)
    joints: dict[tuple[int, str], list[str]] = {}
    for finding in findings:
        joints.setdefault((finding.worst, finding.kind), []).append(finding.subject)
    for (frame, kind), names in joints.items():
        scene.timeline_markers.new(f"{PREFIX}{KINDS[kind].label} {', '.join(names)}", frame=frame)
    return len(joints)


def clear(scene: bpy.types.Scene) -> int:
    """Removes Limber's markers; returns how many it has removed."""
    markers = [marker for marker in scene.timeline_markers if marker.name.startswith(PREFIX)]
    for marker in markers:
        scene.timeline_markers.remove(marker)
    return len(markers)


def are_there(scene: bpy.types.Scene) -> bool:
    """Whether the scene has markers of Limber's."""
    return any(marker.name.startswith(PREFIX) for marker in scene.timeline_markers)
