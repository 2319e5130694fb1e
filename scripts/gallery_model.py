"""Model of a robot for the gallery, from its maker's URDF: the same kinematics, with one simplified mesh for
each link and colour.

    .venv/bin/python scripts/gallery_model.py MAKER.urdf robots/gallery/ID [--error 0.0008] [--voxel 0.001]
    [--leave-out WORD ...]

Writes robot.urdf and meshes/*.obj into the folder. Links, joints, limits and masses are copied as they are
written; collision shapes are left out. A mesh is the union of a link's visuals of one colour, remeshed with
voxels, without the surfaces that other parts of the link hide from every side. It is decimated as long as its
surface stays within `--error`, and rounded to fifths of a millimetre. A file lists each vertex just before
the first triangle that uses it, and triangles count their vertices back from the newest, so that the file
compresses well.
"""

import argparse
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import bpy  # isort: skip
import bmesh  # only importable after bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from mathutils.kdtree import KDTree

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from checkout import load_limber  # noqa: E402

load_limber()

from limber.robots.meshes import find_mesh  # noqa: E402
from limber.robots.model import Colour, MeshFile, ModelLink, Visual  # noqa: E402
from limber.robots.reading import read  # noqa: E402
from limber.solvers.kinematics.rotations import rotate  # noqa: E402

UNIT = 2e-4  # [m] unit of the meshes' integer coordinates
DIRECTIONS = 48  # number of rays from a sample point into the half space in front of it
SAMPLE = 6000  # number of sample points on a surface whose visibility is tested
# (7, 3) weights of a triangle's corners at its sample points: corners, middles of edges, middle
OVER = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]) / np.array(
    [[1], [1], [1], [2], [2], [2], [3]]
)
SEEN = 3  # smallest number of rays that reach the outside if their starting point counts as visible
LIFTED = 0.0002  # [m] height above the surface at which rays start
SMALLEST = 0.004  # [m] smallest diagonal of a separate piece that is kept
# share of the surface [%] that must be within the error; largest error at any sample point, in multiples of
# the allowed one
NEAR, FARTHEST = 99, 4.0
HALVINGS = 9  # number of bisections of the triangle count, between none and all
CHANGED = (
    " Changed for Limber by scripts/gallery_model.py: simplified meshes, no collision shapes. The source is"
    " in robot.yaml "
)
GREY: Colour = (0.6, 0.6, 0.6, 1.0)


@dataclass
class Body:
    """All visuals of a link in one colour.

    Attributes:
        vertices: Blocks of corners (n, 3) in the link's frame [m].
        faces: Corners of each triangle.
    """

    vertices: list[np.ndarray] = field(default_factory=list)
    faces: list[np.ndarray] = field(default_factory=list)

    def add(self, vertices: np.ndarray, faces: np.ndarray) -> None:
        self.faces.append(faces + sum(len(block) for block in self.vertices))
        self.vertices.append(vertices)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("urdf", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--error", type=float, default=0.0008, help="distance of the simplified surface from the maker's [m]"
    )
    parser.add_argument(
        "--voxel", type=float, default=0.001, help="side of a voxel [m]; 0: meshes are closed as they are"
    )
    parser.add_argument(
        "--leave-out",
        nargs="*",
        default=(),
        help="words in the names of meshes that nobody sees from outside",
    )
    options = parser.parse_args()
    robot = read(options.urdf)
    meshes = options.folder / "meshes"
    meshes.mkdir(parents=True, exist_ok=True)
    for old in meshes.glob("*.obj"):
        old.unlink()
    shown: dict[str, list[tuple[str, Colour]]] = {}
    for number, link in enumerate(robot.links):
        shown[link.name] = []
        closed = {
            colour: closed_surface(body, options.voxel)
            for colour, body in bodies(link, options.urdf, options.leave_out).items()
        }
        obstacles = [BVHTree.FromBMesh(surface) for surface in closed.values()]
        k = -1
        for colour, surface in closed.items():
            visible = VisibleSurface(surface, obstacles, LIFTED)
            if not visible.points:
                continue
            k += 1
            name = f"{number:02d}_{k}.obj"
            vertices, faces = simplified(surface, visible.points, options.error)
            faces = faces[visible.visible_triangles(vertices, faces)]
            write_obj(meshes / name, vertices, faces)
            print(f"{link.name}: {name} has {len(faces)} triangles")
            shown[link.name].append((name, colour))
    write_urdf(options.urdf, options.folder / "robot.urdf", shown)
    total = sum(path.stat().st_size for path in meshes.iterdir())
    print(f"{len(list(meshes.iterdir()))} meshes, {total / 1000:.0f} kB")
    return 0


def bodies(link: ModelLink, urdf: Path, leave_out: tuple[str, ...]) -> dict[Colour, Body]:
    """Meshes of a link's visuals, merged by colour. Primitive shapes, meshes with a word of `leave_out` in
    their name, and missing files (which it prints) are left out.
    """
    body_by_colour: dict[Colour, Body] = defaultdict(Body)
    for visual in link.visuals:
        if not isinstance(visual.shape, MeshFile) or any(word in visual.shape.name for word in leave_out):
            continue
        path = find_mesh(visual.shape.name, str(urdf))
        if path is None:
            print(f"{link.name}: {visual.shape.name} is not there")
            continue
        colour = visual.material.colour if visual.material and visual.material.colour else GREY
        body_by_colour[colour].add(*triangles(path, visual))
    return body_by_colour


def triangles(path: Path, visual: Visual) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3), in the link's frame [m], and faces (m, 3) of a mesh file. Empties the open Blender
    file.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    read_mesh = bpy.ops.wm.obj_import if path.suffix.lower() == ".obj" else bpy.ops.wm.stl_import
    read_mesh(filepath=str(path), forward_axis="Y", up_axis="Z")
    mesh = bpy.context.object.data
    mesh.calc_loop_triangles()
    corners = np.array([vertex.co for vertex in mesh.vertices]) * np.array(visual.shape.scale)
    turned = np.array(
        [rotate(visual.origin.rotation, tuple(corner)) for corner in corners.tolist()]
    ) + np.array(visual.origin.offset)
    return turned, np.array([triangle.vertices for triangle in mesh.loop_triangles])


def closed_surface(body: Body, voxel: float) -> bmesh.types.BMesh:
    """Triangulated surface of a body's shapes without separate pieces below `SMALLEST`. Voxels of size
    `voxel` [m] unite the shapes; with 0 they stay separate. Empties this Blender's file.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(np.concatenate(body.vertices).tolist(), [], np.concatenate(body.faces).tolist())
    obj = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(obj)
    if voxel:
        remesh = obj.modifiers.new("Remesh", "REMESH")
        remesh.mode, remesh.voxel_size = "VOXEL", voxel
    surface = bmesh.new()
    surface.from_mesh(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)
    bmesh.ops.triangulate(surface, faces=surface.faces)
    small = [corner for piece in pieces(surface) if diagonal(piece) < SMALLEST for corner in piece]
    bmesh.ops.delete(surface, geom=small, context="VERTS")
    return surface


class VisibleSurface:
    """Parts of a surface that are visible from outside the link, tested at sample points.

    Args:
        surface: A closed surface.
        obstacles: All surfaces of the link.
        lifted: Height above the surface at which rays start [m].

    Attributes:
        points: Visible sample points.
    """

    def __init__(self, surface: bmesh.types.BMesh, obstacles: list[BVHTree], lifted: float) -> None:
        draw = np.random.default_rng(1)
        rays = [Vector(ray).normalized() for ray in draw.normal(size=(DIRECTIONS, 3)).tolist()]
        surface.normal_update()
        every = list(surface.faces)
        faces = [every[k] for k in draw.permutation(len(every))[:SAMPLE]]
        over = OVER if len(faces) * len(OVER) <= SAMPLE else OVER[-1:]
        points = [
            (Vector(corner_position), face.normal.copy())
            for face in faces
            for corner_position in (over @ np.array([corner.co for corner in face.verts])).tolist()
        ]
        self._is_seen = [
            is_seen(corner_position + lifted * normal, normal, rays, obstacles)
            for corner_position, normal in points
        ]
        self._near = KDTree(len(points))
        for k, (corner_position, _) in enumerate(points):
            self._near.insert(corner_position, k)
        self._near.balance()
        self.points = [
            corner_position for (corner_position, _), seen in zip(points, self._is_seen, strict=True) if seen
        ]

    def visible_triangles(self, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
        """Mask (m,) of visible triangles: those with a point, of the seven of `OVER`, whose nearest sample
        point is visible.

        Args:
            vertices: (n, 3) [m] in the surface's frame.
            faces: (m, 3) indices of the triangles' vertices.
        """
        points = np.einsum("pk,fkc->fpc", OVER, vertices[faces])
        return np.array(
            [
                any(self._is_seen[self._near.find(point)[1]] for point in triangle)
                for triangle in points.tolist()
            ],
            bool,
        )


def is_seen(position: Vector, normal: Vector, rays: list[Vector], obstacles: list[BVHTree]) -> bool:
    """Whether enough rays from a position into the half space in front of it hit no obstacle."""
    free = 0
    for ray in rays:
        ahead = ray if ray.dot(normal) > 0.0 else -ray
        free += all(tree.ray_cast(position, ahead)[0] is None for tree in obstacles)
        if free == SEEN:
            return True
    return False


def pieces(surface: bmesh.types.BMesh) -> list[list[bmesh.types.BMVert]]:
    """Vertices of each connected part of a surface."""
    left, connected = set(surface.verts), []
    while left:
        piece, edge = [], [left.pop()]
        while edge:
            corner = edge.pop()
            piece.append(corner)
            beside = {side.other_vert(corner) for side in corner.link_edges} & left
            left -= beside
            edge.extend(beside)
        connected.append(piece)
    return connected


def diagonal(piece: list[bmesh.types.BMVert]) -> float:
    """Diagonal of the bounding box of vertices [m]."""
    corners = np.array([corner.co for corner in piece])
    return float(np.linalg.norm(np.ptp(corners, axis=0)))


def simplified(
    surface: bmesh.types.BMesh, samples: list[Vector], error: float
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) [m] and triangles (m, 3) of the coarsest decimation found whose surface is within
    `error` [m] of the sample points.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("Surface")
    surface.to_mesh(mesh)
    obj = bpy.data.objects.new("Surface", mesh)
    bpy.context.scene.collection.objects.link(obj)
    decimate = obj.modifiers.new("Decimate", "DECIMATE")
    decimate.use_collapse_triangulate = True
    low, high = 0.0, 1.0
    best = reduced(obj, decimate, high)
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5 if low else high / 4
        vertices, faces = reduced(obj, decimate, middle)
        if len(faces) and is_near(vertices, faces, samples, error):
            best, high = (vertices, faces), middle
        else:
            low = middle
    return best


def reduced(
    obj: bpy.types.Object, decimate: bpy.types.DecimateModifier, ratio: float
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a surface decimated to the share `ratio` of its triangles."""
    decimate.ratio = ratio
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co for vertex in shown.vertices]), np.array(
        [polygon.vertices for polygon in shown.polygons]
    )


def is_near(vertices: np.ndarray, faces: np.ndarray, samples: list[Vector], error: float) -> bool:
    """Whether sample points are within an error [m] of a surface: `NEAR` percent of them within the error,
    and all within `FARTHEST` times that. `vertices` (n, 3) [m], `faces` (m, 3).
    """
    tree = BVHTree.FromPolygons(vertices.tolist(), faces.tolist())
    away = [tree.find_nearest(sample)[3] for sample in samples]
    return bool(np.percentile(away, NEAR) <= error and max(away) <= FARTHEST * error)


def write_obj(path: Path, vertices: np.ndarray, faces: np.ndarray) -> None:
    """Writes a mesh as OBJ, with whole multiples of `UNIT` as coordinates: each vertex before the first
    triangle that uses it; triangles count vertices back from the newest.
    """
    grid_corners, same = np.unique(np.round(vertices / UNIT).astype(int), axis=0, return_inverse=True)
    corners = [face for face in same.reshape(-1)[faces].tolist() if len(set(face)) == 3]
    number: dict[int, int] = {}
    lines = []
    for face in strip_order(corners):
        for corner in face:
            if corner not in number:
                number[corner] = len(number)
                lines.append("v " + " ".join(map(str, grid_corners[corner].tolist())))
        lines.append("f " + " ".join(str(number[corner] - len(number)) for corner in face))
    path.write_text("\n".join(lines) + "\n")


def strip_order(faces: list[list[int]]) -> list[list[int]]:
    """The triangles sorted so that each shares vertices with earlier ones, the newest if there is a
    choice.
    """
    of: dict[int, list[int]] = defaultdict(list)
    for number, face in enumerate(faces):
        for corner in face:
            of[corner].append(number)
    left, order, age = set(range(len(faces))), [], {}
    while left:
        near = {number for corner in list(age)[-16:] for number in of[corner] if number in left}
        chosen = max(
            near or left,
            key=lambda number: (
                sum(corner in age for corner in faces[number]),
                sum(age.get(c, 0) for c in faces[number]),
            ),
        )
        left.discard(chosen)
        face = faces[chosen]
        start = max(range(3), key=lambda k: (face[k] not in age, -age.get(face[k], 0)))
        face = face[(start + 1) % 3 :] + face[: (start + 1) % 3]  # rotated so that the newest vertex is last
        order.append(face)
        for corner in face:
            age.setdefault(corner, len(age) + 1)
    return order


def write_urdf(source: Path, path: Path, shown: dict[str, list[tuple[str, Colour]]]) -> None:
    tree = ET.parse(source)
    root = tree.getroot()
    for material in root.findall("material"):
        root.remove(material)
    for joint in root.findall("joint"):
        for part in joint.findall("joint_properties"):  # elements of simulators
            joint.remove(part)
    for link in root.findall("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
        for name, colour in shown[link.get("name")]:
            visual = ET.SubElement(link, "visual")
            mesh = ET.SubElement(ET.SubElement(visual, "geometry"), "mesh")
            mesh.set("filename", f"meshes/{name}")
            mesh.set("scale", f"{UNIT} {UNIT} {UNIT}")
            rgba = " ".join(f"{part:g}" for part in colour)
            ET.SubElement(ET.SubElement(visual, "material", name=f"colour {rgba}"), "color", rgba=rgba)
    root.insert(0, ET.Comment(CHANGED))
    ET.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    sys.exit(main())
