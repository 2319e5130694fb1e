"""Model of a robot for the gallery, from its maker's URDF: the same kinematics, with one simplified mesh for each link and colour.

    .venv/bin/python scripts/gallery_model.py MAKER.urdf robots/gallery/ID [--faces 500] [--voxel 0.0015] [--leave-out WORD ...]

Writes robot.urdf and meshes/*.obj into the folder. Links, joints, limits and masses are copied as they are written; collision shapes are
left out. A mesh is the union of a link's visuals of one colour, closed to voxels, reduced to so many triangles, in tenths of a millimetre.
"""

import argparse
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from checkout import load_limber  # noqa: E402

load_limber()

from limber.robots.meshes import find_mesh  # noqa: E402
from limber.robots.model import Colour, Link, MeshFile, Visual  # noqa: E402
from limber.robots.reading import read  # noqa: E402
from limber.solvers.kinematics.rotations import rotate  # noqa: E402

UNIT = 1e-4  # [m] of the meshes' whole numbers
CHANGED = " Changed for Limber by scripts/gallery_model.py: simplified meshes, no collision shapes. The source is in robot.yaml "
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
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("urdf", type=Path)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--faces", type=int, default=500, help="triangles of a mesh")
    ask.add_argument("--voxel", type=float, default=0.0015, help="side of a voxel [m]")
    ask.add_argument("--leave-out", nargs="*", default=(), help="words in the names of meshes that nobody sees from outside")
    asked = ask.parse_args()
    robot = read(asked.urdf)
    meshes = asked.folder / "meshes"
    meshes.mkdir(parents=True, exist_ok=True)
    for old in meshes.glob("*.obj"):
        old.unlink()
    shown: dict[str, list[tuple[str, Colour]]] = {}
    for number, link in enumerate(robot.links):
        shown[link.name] = []
        for k, (colour, body) in enumerate(bodies(link, asked.urdf, asked.leave_out).items()):
            name = f"{number:02d}_{k}.obj"
            vertices, faces = simplified(body, asked.voxel, asked.faces)
            write_obj(meshes / name, vertices, faces)
            shown[link.name].append((name, colour))
    write_urdf(asked.urdf, asked.folder / "robot.urdf", shown)
    total = sum(path.stat().st_size for path in meshes.iterdir())
    print(f"{len(list(meshes.iterdir()))} meshes, {total / 1000:.0f} kB")
    return 0


def bodies(link: Link, urdf: Path, leave_out: tuple[str, ...]) -> dict[Colour, Body]:
    """The link's visuals by their colours."""
    found: dict[Colour, Body] = defaultdict(Body)
    for visual in link.visuals:
        if not isinstance(visual.shape, MeshFile) or any(word in visual.shape.name for word in leave_out):
            continue
        path = find_mesh(visual.shape.name, str(urdf))
        if path is None:
            print(f"{link.name}: {visual.shape.name} is not there")
            continue
        colour = visual.material.colour if visual.material and visual.material.colour else GREY
        found[colour].add(*triangles(path, visual))
    return found


def triangles(path: Path, visual: Visual) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) in the link's frame and faces (m, 3) of a mesh file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.stl_import(filepath=str(path), forward_axis="Y", up_axis="Z")
    mesh = bpy.context.object.data
    mesh.calc_loop_triangles()
    corners = np.array([vertex.co for vertex in mesh.vertices]) * np.array(visual.shape.scale)
    turned = np.array([rotate(visual.origin.rotation, tuple(corner)) for corner in corners.tolist()]) + np.array(visual.origin.offset)
    return turned, np.array([triangle.vertices for triangle in mesh.loop_triangles])


def simplified(body: Body, voxel: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Outer surface of a body with at most so many triangles."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(np.concatenate(body.vertices).tolist(), [], np.concatenate(body.faces).tolist())
    thing = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(thing)
    remesh = thing.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", voxel
    closed = bpy.data.meshes.new_from_object(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    reduced = bpy.data.objects.new("Reduced", closed)
    bpy.context.scene.collection.objects.link(reduced)
    decimate = reduced.modifiers.new("Decimate", "DECIMATE")
    decimate.ratio = min(1.0, most / max(1, 2 * len(closed.polygons)))
    decimate.use_collapse_triangulate = True
    shown = reduced.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co for vertex in shown.vertices]), np.array([polygon.vertices for polygon in shown.polygons])


def write_obj(path: Path, vertices: np.ndarray, faces: np.ndarray) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in np.round(vertices / UNIT).astype(int).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    path.write_text("\n".join(lines) + "\n")


def write_urdf(source: Path, path: Path, shown: dict[str, list[tuple[str, Colour]]]) -> None:
    tree = ET.parse(source)
    root = tree.getroot()
    for material in root.findall("material"):
        root.remove(material)
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
