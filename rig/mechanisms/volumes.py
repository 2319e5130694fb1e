"""Volume and centre of a mesh: of the mesh itself if it is closed, else of its convex hull."""

from dataclasses import dataclass, field, replace

import bmesh
import bpy
import numpy as np

from ...solvers.kinematics.se3 import Array
from ..bones.outermost import outermost
from ..scene.mesh_points import coordinates, placed

# distance within which a mesh's vertices are merged, as a share of its extent: STL files repeat vertices
SAME = 1e-6
FLAT = 1e-9  # volume up to which a mesh counts as flat, with volume 0, as a share of the cube of its extent


@dataclass(frozen=True)
class Solid:
    """A volume, its centre, and the outermost points of its mesh."""

    volume: float = 0.0  # [m^3] volume of the mesh or its hull
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m]
    points: Array = field(default_factory=lambda: np.zeros((0, 3)), repr=False, compare=False)  # (n, 3) [m]

    def __add__(self, other: "Solid") -> "Solid":
        whole, points = self.volume + other.volume, np.concatenate((self.points, other.points))
        if whole <= 0.0:
            return replace(self, points=points)
        x, y, z = (
            (self.volume * a + other.volume * b) / whole
            for a, b in zip(self.centre, other.centre, strict=True)
        )
        return Solid(whole, (x, y, z), points)


def solid_of(mesh: bpy.types.Mesh, frame: Array) -> Solid:
    """Volume [m^3], centre [m] and outermost points of a mesh whose vertices are transformed by `frame`
    (4, 4); volume and centre are those of its convex hull if the mesh is not closed.
    """
    vertices = placed(coordinates(mesh), frame)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    faces = triangles.reshape(-1, 3)
    if not _is_closed(vertices, faces):
        return hull_of(vertices)
    return replace(_of_triangles(vertices, faces), points=outermost(vertices))


def hull_of(points: Array) -> Solid:
    """Volume [m^3] and centre [m] of the convex hull of points (n, 3) [m], and the outermost of these; an
    empty solid if a point is not finite.
    """
    if not np.isfinite(points).all():
        return Solid()
    return replace(_hull_of(points), points=outermost(points))


def _hull_of(points: Array) -> Solid:
    if len(points) < 4:
        return Solid()
    mesh = bmesh.new()
    try:
        middle = points.mean(0)
        for point in points - middle:
            mesh.verts.new(point)
        bmesh.ops.convex_hull(mesh, input=mesh.verts[:], use_existing_faces=False)
        mesh.verts.index_update()
        bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
        faces = np.array([[vertex.index for vertex in face.verts] for face in mesh.faces]).reshape(-1, 3)
        corners = np.array([vertex.co for vertex in mesh.verts])
    finally:
        mesh.free()
    if not len(faces):
        return Solid()
    inside = corners[np.unique(faces)].mean(0)
    corners = corners - inside
    # all volumes have the same sign, since the origin is inside the hull
    parts = np.abs(_sixfold(corners, faces)) / 6.0
    return _solid(corners, faces, parts, middle + inside, float(np.ptp(points, axis=0).max()))


def _of_triangles(vertices: Array, faces: Array) -> Solid:
    middle = vertices.mean(0)
    corners = vertices - middle
    parts = _sixfold(corners, faces) / 6.0
    return _solid(
        corners, faces, parts * (np.sign(parts.sum()) or 1.0), middle, float(np.ptp(vertices, axis=0).max())
    )


def _sixfold(corners: Array, faces: Array) -> Array:
    """Six times the signed volumes (t,) of the tetrahedra between the origin and triangles."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    volumes: Array = (a * np.cross(b, c)).sum(1)
    return volumes


def _solid(corners: Array, faces: Array, parts: Array, middle: Array, extent: float) -> Solid:
    """Solid of the tetrahedra between an inner point `middle` (3,) and triangles; nothing if it is flat.

    Args:
        corners: (n, 3) [m] vertices, relative to `middle`.
        faces: (t, 3) indices of the triangles' vertices.
        parts: (t,) [m^3] volumes of the tetrahedra.
        middle: (3,) [m] the point.
        extent: Largest extent [m] of the vertices.
    """
    whole = float(parts.sum())
    if not whole > FLAT * extent**3:
        return Solid()
    x, y, z = (middle + parts @ corners[faces].sum(1) / (4.0 * whole)).tolist()
    return Solid(whole, (x, y, z))


def _is_closed(vertices: Array, faces: Array) -> bool:
    """Whether each edge of the triangles `faces` (t, 3) over `vertices` (n, 3) belongs to two of them, which
    run along it in opposite directions.
    """
    if not len(faces):
        return False
    step = SAME * max(float(np.ptp(vertices, axis=0).max()), 1e-30)
    _, joined = np.unique(
        np.round((vertices - vertices.min(0)) / step).astype(np.int64), axis=0, return_inverse=True
    )
    faces = joined.reshape(-1)[faces]
    edges = np.concatenate((faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]))
    edges = edges[edges[:, 0] != edges[:, 1]]
    forward_edges, count = np.unique(edges, axis=0, return_counts=True)
    back = np.unique(edges[:, ::-1], axis=0)
    return bool((count == 1).all() and len(forward_edges) == len(back) and (forward_edges == back).all())
