"""Meshes and materials of the demo lamp. Meshes lie along +Y, as bones do."""

from itertools import pairwise
from math import cos, pi, radians, sin, tau

import bmesh
import bpy
from mathutils import Matrix, Vector

SEGMENTS = 48  # number of segments of a surface of revolution
SHARP = radians(38)  # [rad] angle between faces above which their edge is shaded sharp


def material(
    name: str, colour: tuple, roughness: float = 0.5, metallic: float = 0.0, glow: float = 0.0
) -> bpy.types.Material:
    """Makes a plain material. `colour`: linear (r, g, b); `glow`: emission strength."""
    new_material = bpy.data.materials.new(name)
    if not new_material.node_tree:  # from Blender 5.0 on every material has nodes
        new_material.use_nodes = True
    shader = next(node for node in new_material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    shader.inputs["Emission Color"].default_value = (*colour, 1.0)
    shader.inputs["Emission Strength"].default_value = glow
    new_material.diffuse_color = (*colour, 1.0)
    if hasattr(new_material, "cycles"):  # Cycles can be switched off
        # Cycles then samples only the scene's lights; the emission stays visible
        new_material.cycles.emission_sampling = "NONE"
    return new_material


def lathe(profile: list[tuple[float, float]], segments: int = SEGMENTS) -> bmesh.types.BMesh:
    """Surface of revolution about Y from a profile of (radius, y) points [m]."""
    mesh = bmesh.new()
    rings = []
    for radius, y in profile:
        if radius < 1e-6:
            rings.append([mesh.verts.new((0.0, y, 0.0))])
        else:
            rings.append(
                [
                    mesh.verts.new((radius * cos(tau * k / segments), y, radius * sin(tau * k / segments)))
                    for k in range(segments)
                ]
            )
    for below, above in pairwise(rings):
        for k in range(segments):
            corners = [
                below[k % len(below)],
                below[(k + 1) % len(below)],
                above[(k + 1) % len(above)],
                above[k % len(above)],
            ]
            mesh.faces.new(list(dict.fromkeys(corners)))
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
    return mesh


def drum(radius: float, start: float, end: float, edge: float = 0.002) -> bmesh.types.BMesh:
    """Closed cylinder along Y from `start` to `end` [m] with rounded edges."""
    return lathe(
        [
            (0, start),
            (radius - edge, start),
            (radius, start + edge),
            (radius, end - edge),
            (radius - edge, end),
            (0, end),
        ],
    )


def ball(radius: float, segments: int = SEGMENTS) -> bmesh.types.BMesh:
    """Sphere about the origin with its poles on Y."""
    angles = [pi * k / (segments // 2) for k in range(segments // 2 + 1)]
    return lathe([(radius * sin(angle), -radius * cos(angle)) for angle in angles], segments)


def tube(points: list[Vector], radius: float, segments: int = 12) -> bmesh.types.BMesh:
    """Tube of constant radius [m] along a polyline."""
    mesh = bmesh.new()
    rings = []
    for k, point in enumerate(points):
        along = (points[min(k + 1, len(points) - 1)] - points[max(k - 1, 0)]).normalized()
        frame = along.to_track_quat("Y", "Z").to_matrix()
        rings.append(
            [
                mesh.verts.new(
                    point
                    + frame
                    @ Vector((radius * cos(tau * s / segments), 0.0, radius * sin(tau * s / segments)))
                )
                for s in range(segments)
            ]
        )
    for below, above in pairwise(rings):
        for s in range(segments):
            mesh.faces.new((below[s], below[(s + 1) % segments], above[(s + 1) % segments], above[s]))
    for cap in (rings[0][::-1], rings[-1]):
        mesh.faces.new(cap)
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
    return mesh


def spring(radius: float, start: float, end: float, windings: int, wire: float) -> bmesh.types.BMesh:
    """Helical spring along Y from `start` to `end` [m]."""
    steps = 14 * windings
    points = []
    for k in range(steps + 1):
        angle = tau * windings * k / steps
        points.append(Vector((radius * cos(angle), start + (end - start) * k / steps, radius * sin(angle))))
    return tube(points, wire, 6)


def moved(mesh: bmesh.types.BMesh, matrix: Matrix) -> bmesh.types.BMesh:
    """Transforms a mesh by a matrix (4, 4), and returns it."""
    mesh.transform(matrix)
    return mesh


def across(mesh: bmesh.types.BMesh, position: tuple = (0.0, 0.0, 0.0)) -> bmesh.types.BMesh:
    """Rotates a mesh that lies along Y so that it lies along X, as the axle of a hinge, and moves it to
    `position` [m].
    """
    return moved(mesh, Matrix.Translation(position) @ Matrix.Rotation(-pi / 2, 4, "Z"))


def joined(parts: list[bmesh.types.BMesh]) -> bmesh.types.BMesh:
    """One mesh of several, which are freed."""
    whole = bmesh.new()
    for part in parts:
        data = bpy.data.meshes.new("part")
        part.to_mesh(data)
        part.free()
        whole.from_mesh(data)
        bpy.data.meshes.remove(data)
    return whole


def mesh_object(name: str, mesh: bmesh.types.BMesh, look: bpy.types.Material) -> bpy.types.Object:
    """Makes a smooth-shaded object in the scene from a mesh, which is freed."""
    data = bpy.data.meshes.new(name)
    for face in mesh.faces:
        face.smooth = True
    mesh.to_mesh(data)
    mesh.free()
    data.set_sharp_from_angle(angle=SHARP)
    data.materials.append(look)
    mesh_object = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(mesh_object)
    return mesh_object


def hang(
    child: bpy.types.Object, rig: bpy.types.Object, bone: str, local: Matrix | None = None
) -> bpy.types.Object:
    """Parents an object to a bone; `local` is its matrix in the bone's frame, whose origin is the bone's
    head.
    """
    child.parent, child.parent_type, child.parent_bone = rig, "BONE", bone
    # Blender puts a child's origin at the bone's tail
    child.matrix_parent_inverse = Matrix.Translation((0.0, -rig.data.bones[bone].length, 0.0))
    child.matrix_basis = local or Matrix()
    return child
