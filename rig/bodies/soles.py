"""Contact points of an armature's feet with the floor at rest: vertices of meshes on the feet, else the ends
of their bones.
"""

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...character.body.feet import Foot
from ...solvers.kinematics.se3 import Array
from ..bones.outermost import outermost
from ..scene.carried_frames import in_carrier
from ..scene.mesh_points import coordinates, placed

# share of the leg's length: a foot without mesh is taken to stand on the armature's floor if its lowest bone
# end is nearer to the floor than this
FLESH = 0.1
SIGNIFICANT = 0.5  # smallest weight in a bone's vertex group at which a vertex is taken to move with the bone


def read(rig: bpy.types.Object, links: Sequence[str], feet: Sequence[str]) -> tuple[Foot, ...]:
    """Each foot with the points of its sole.

    Args:
        rig: The armature object.
        links: Bones that the body moves; other bones move with their nearest ancestor among them.
        feet: The links that are feet.
    """
    return tuple(Foot(name, _sole(rig, set(links), rig.data.bones[name])) for name in feet)


def ankle(rig: bpy.types.Object, feet: Sequence[str]) -> float:
    """Mean height [m, armature space] at rest of the heads of the feet's bones above the lowest points of
    their soles.
    """
    up = _up(rig)
    heights = []
    for foot in read(rig, feet, feet):
        bone = rig.data.bones[foot.link]
        lowest = min(
            float((placed(points, np.array(rig.data.bones[link].matrix_local, float)) @ up).min())
            for link, points in foot.sole
        )
        heights.append(float(np.array(bone.head_local) @ up) - lowest)
    return float(np.mean(heights))


def _up(rig: bpy.types.Object) -> Array:
    """World up (3,) in armature space."""
    up = np.array(rig.matrix_world, float)[2, :3]
    return up / (np.linalg.norm(up) or 1.0)


def _sole(rig: bpy.types.Object, links: set[str], foot: bpy.types.Bone) -> tuple[tuple[str, Array], ...]:
    """(link, points (m, 3) [m] in its frame that can touch the floor) of each link of a foot: the outermost
    points of its meshes or, if the foot has none, the ends of its bones, lowered by `_thickness`.
    """
    bones = [foot, *foot.children_recursive]
    carriers = {
        bone.name: next(above.name for above in (bone, *bone.parent_recursive) if above.name in links)
        for bone in bones
    }
    points_by_link: dict[str, list[Array]] = {}
    for name, points in _meshes(rig, {bone.name for bone in bones}):
        points_by_link.setdefault(carriers[name], []).append(points)
    if not points_by_link:
        ends = {bone.name: np.array([bone.head_local, bone.tail_local]) for bone in bones}
        thickness = _thickness(rig, foot, np.concatenate(list(ends.values())))
        for name, points in ends.items():
            points_by_link.setdefault(carriers[name], []).append(points - thickness)
    return tuple(
        (link, outermost(_local(rig, link, np.concatenate(points))))
        for link, points in points_by_link.items()
    )


def _thickness(rig: bpy.types.Object, foot: bpy.types.Bone, ends: Array) -> Array:
    """Offset (3,) [m] from the lowest bone end of a foot down to the armature's floor, on which the foot
    stands at rest; zeros if the floor is too far below that end, or not below it.
    """
    up = _up(rig)
    lowest = float((ends @ up).min())
    leg = float(np.array(foot.head_local) @ up) + sum(above.length for above in foot.parent_recursive[:2])
    return up * lowest if 0.0 < lowest < FLESH * leg else np.zeros(3)


def _meshes(rig: bpy.types.Object, names: set[str]) -> Iterator[tuple[str, Array]]:
    """(bone, points (m, 3) [m] in armature space at rest) of the meshes that are parented to the bones
    `names`, or deformed by them.
    """
    for obj in bpy.data.objects:
        if obj.type != "MESH" or not obj.data.vertices:
            continue
        if obj.parent == rig and obj.parent_type == "BONE" and obj.parent_bone in names:
            yield obj.parent_bone, placed(coordinates(obj.data), in_carrier(obj, rig))
        elif any(modifier.type == "ARMATURE" and modifier.object == rig for modifier in obj.modifiers):
            yield from _skin(rig, obj, names)


def _skin(
    rig: bpy.types.Object, mesh_object: bpy.types.Object, names: set[str]
) -> Iterator[tuple[str, Array]]:
    """(bone, points (m, 3) [m] in armature space at rest) of a mesh deformed by bones: the vertices with a
    significant weight for each bone.
    """
    groups = {group.index: group.name for group in mesh_object.vertex_groups if group.name in names}
    if not groups:
        return
    points = placed(coordinates(mesh_object.data), in_carrier(mesh_object, rig))
    carried: dict[str, list[int]] = {}
    for vertex in mesh_object.data.vertices:
        for element in vertex.groups:
            if element.weight >= SIGNIFICANT and element.group in groups:
                carried.setdefault(groups[element.group], []).append(vertex.index)
    for name, rows in carried.items():
        yield name, points[rows]


def _local(rig: bpy.types.Object, link: str, points: Array) -> Array:
    """Points (m, 3) in armature space at rest, in the frame of a link's bone."""
    return placed(points, np.array(rig.data.bones[link].matrix_local.inverted(), float))
