"""No-go zones of a check: their objects and shapes, their poses in a frame, and how far a mover's links
penetrate them.
"""

from collections.abc import Iterable
from math import isfinite

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...blender.errors import RigError
from ...blender.presence import is_deleted, why_unevaluated
from ...scene.dependencies import dependencies_of
from ...scene.placement import Placement
from .convex import Ball, ConvexBody, Hull, intrusion
from .swept import ZonePose, intermediate, zone_pose

SHAPED = {"MESH", "CURVE", "SURFACE", "FONT", "META"}  # types of objects that can be converted to a mesh
# [m] smallest step along a link's path between frames at which it is tested; for links with a larger radius,
# the step is the radius
LEAST_STEP = 0.005
# corners of the cube from -1 to 1, and their indices in its triangles
CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
CUBE_FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 7, 5],
        [4, 6, 7],
        [0, 5, 1],
        [0, 4, 5],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 7, 3],
        [1, 5, 7],
    ]
)


class Zone:
    """One no-go zone of an armature during a check.

    Args:
        rig: The armature object.
        number: Index of the zone in the armature's list.

    Raises:
        RigError: the zone has no object, or its object is deleted, not evaluated in viewports, or has no
            inside.
    """

    def __init__(self, rig: bpy.types.Object, number: int) -> None:
        self._rig, self._number, self.name = rig, number, ""
        self.name = self._object().name
        self.depends_on = {
            dependency.bone
            for dependency in dependencies_of(self._object())
            if dependency.rig == rig and dependency.bone
        }
        self.body: ConvexBody | None = None  # shape of the zone in the last checked frame
        self.pose: ZonePose | None = None  # pose of the zone in the last checked frame
        self.last_pose: ZonePose | None = None  # pose of the zone in the frame before the last checked frame
        self._hull: Hull | None = None  # convex hull of the object's points, in the object's own frame
        self._corners = np.zeros((0, 3))  # points from which `_hull` was made

    def _object(self) -> bpy.types.Object:
        """The zone's object; raises RigError if it cannot be checked any more."""
        zones = self._rig.limber.zones
        if self._number >= len(zones):
            raise RigError(
                f"No-go zone '{self.name}' was taken from the list of '{self._rig.name}': press Check Motion"
                " again"
            )
        if problem := trouble(bpy.context, zones[self._number]):
            raise RigError(problem)
        return zones[self._number].zone

    def look(self, placement: Placement) -> None:
        """Updates the zone's pose and shape to those in the frame of `placement`.

        Raises:
            RigError: the zone was taken from the list, its object cannot be checked any more, or it has no
                points, or a position that is not finite.
        """
        zone_object = self._object()
        matrix = np.array(placement.object(zone_object))
        if not isfinite(matrix.sum()):
            raise RigError(
                f"The position of no-go zone '{zone_object.name}' is not a number: clear its location, its"
                " drivers or its constraints"
            )
        self.last_pose, self.pose = self.pose, zone_pose(matrix)
        if zone_object.type == "EMPTY":
            matrix = matrix @ np.diag([zone_object.empty_display_size] * 3 + [1.0])
            self.body = (
                Ball(matrix)
                if zone_object.empty_display_type == "SPHERE"
                else Hull(CUBE, CUBE_FACES).moved(matrix)
            )
        else:
            self._read_shape(zone_object.evaluated_get(placement.depsgraph))
            self.body = self._hull.moved(matrix)

    def _read_shape(self, evaluated: bpy.types.Object) -> None:
        """Computes the convex hull of the object's points, if they have changed. Raises RigError if there are
        none, or one is not finite.
        """
        mesh = evaluated.to_mesh()
        try:
            corners = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", corners)
        finally:
            evaluated.to_mesh_clear()
        corners = corners.reshape(-1, 3)
        if not len(corners):
            raise RigError(
                f"No-go zone '{self.name}' has no points, so it has no inside: give it a shape, or take it"
                " from the list"
            )
        if not np.isfinite(corners).all():
            raise RigError(
                f"No-go zone '{self.name}' has points that are nowhere: mend its shape, or take it from the"
                " list"
            )
        if self._hull is None or not np.array_equal(corners, self._corners):
            self._corners, self._hull = corners, _hull(corners)


def _hull(corners: np.ndarray) -> Hull:
    """Convex hull of points (k, 3) [m]; without faces if the points lie in a plane."""
    mesh = bmesh.new()
    try:
        for corner in corners:
            mesh.verts.new(corner)
        if len(corners) > 2:
            bmesh.ops.convex_hull(mesh, input=mesh.verts, use_existing_faces=False)
        mesh.verts.index_update()
        outer = [vertex for vertex in mesh.verts if vertex.link_faces] or list(mesh.verts)
        points = np.array([vertex.co for vertex in outer])
        indices = {vertex.index: k for k, vertex in enumerate(outer)}
        faces = np.array(
            [[indices[loop.vert.index] for loop in triangle] for triangle in mesh.calc_loop_triangles()],
            dtype=int,
        )
        return Hull(points, faces.reshape(-1, 3))
    finally:
        mesh.free()


def can_be(obj: bpy.types.Object) -> bool:
    """Whether an object can be a no-go zone, since its shape has an inside."""
    return obj.type == "EMPTY" or obj.type in SHAPED


def trouble(context: bpy.types.Context, zone: bpy.types.PropertyGroup) -> str:
    """Why a no-go zone cannot be checked, with the remedy; "" if it can."""
    obj = zone.zone
    if obj is None and not zone.name:
        return "A no-go zone has no object yet: choose one for it, or take it from the list"
    if obj is None:
        return (
            f"The object of no-go zone '{zone.name}' was deleted: choose another for it, or take it from the"
            " list"
        )
    if is_deleted(obj):
        return f"No-go zone '{obj.name}' was deleted: bring it back, or take it from the list"
    if why := why_unevaluated(obj, context.view_layer):
        return f"No-go zone '{obj.name}' {why}"
    if not can_be(obj):
        return f"No-go zone '{obj.name}' has no inside: choose an empty or a mesh"
    return ""


def counts_as(obj: bpy.types.Object) -> str:
    """Shape that stands for an object as a zone, as text for the interface."""
    if obj.type != "EMPTY":
        return "Its convex hull counts"
    return (
        "It counts as a ball"
        if obj.empty_display_type == "SPHERE"
        else "It counts as a box; show the empty as Sphere for a ball"
    )


def zones_of(rig: bpy.types.Object) -> list[Zone]:
    """All no-go zones of an armature (objects that its links must not enter).

    Raises:
        RigError: a zone cannot be checked.
    """
    return [Zone(rig, number) for number in range(len(rig.limber.zones))]


class Links:
    """Links (bones) of a mover that its joints can move.

    Args:
        rig: The armature object.
        names: Names of the bones.
    """

    def __init__(self, rig: bpy.types.Object, names: Iterable[str]) -> None:
        self.rig, self.names = rig, tuple(names)

    def end_positions(self, placement: Placement) -> np.ndarray:
        """World positions (n, 2, 3) [m] of the links' heads and tails."""
        world = placement.object(self.rig)
        ends = []
        for name in self.names:
            matrix: Matrix = world @ placement.bone(self.rig, name)
            ends.append((matrix.translation, matrix @ Vector((0.0, self.rig.data.bones[name].length, 0.0))))
        return np.array(ends, dtype=float).reshape(-1, 2, 3)


def intrusions(
    links: Links, zones: list[Zone], lines: np.ndarray, before: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Depth of each link in each no-go zone (n, zones) [m] in this frame, and the largest such depth since
    the last frame; negative outside.

    A zone that moves with a link is not checked against it; its depths are -inf.

    Args:
        links: Links of a mover.
        zones: The zones in this frame.
        lines: (n, 2, 3) world positions of heads and tails [m].
        before: World positions in the last frame; None in the first frame.
    """
    radius, lines_before = links.rig.limber.link_radius, lines if before is None else before
    step = max(radius, LEAST_STEP)
    depths_at_frame = np.full((len(links.names), len(zones)), -np.inf)
    deepest = depths_at_frame.copy()
    for j, zone in enumerate(zones):
        for k, name in enumerate(links.names):
            if name not in zone.depends_on:
                depths = [
                    intrusion(zone.body, *line, radius)
                    for line in intermediate(lines_before[k], lines[k], zone.last_pose, zone.pose, step)
                ]
                depths_at_frame[k, j], deepest[k, j] = depths[-1], max(depths)
    return depths_at_frame, deepest
