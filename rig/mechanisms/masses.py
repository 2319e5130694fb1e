"""Masses of bodies and their centres of mass: from the user's settings, the robot's file, the rigid body, or
meshes.

An unknown mass is computed as the volume of the meshes that move with the body, times the mechanism's
density. A body without volume has no mass: Check reports it if there is a goal for the centre of mass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...solvers.kinematics.se3 import Array, inverse
from ..scene.carried_frames import in_carrier
from ..scene.mesh_points import coordinates, placed
from .poses import object_scale
from .precise_rest import Rest
from .volumes import Solid, hull_of, solid_of

OWN = "OWN"  # value of `mass_from` for a mass set by the user
HERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Mass:
    """Mass [kg] and centre of mass [m] of a body, and the outermost points of its meshes."""

    kilograms: float = 0.0
    centre: tuple[float, float, float] = HERE  # [m] centre of mass in the body's frame
    is_known: bool = True  # False if the scene has no mass for the body
    # (n, 3) [m] outermost points of the meshes, in the body's frame
    points: Array = field(default_factory=lambda: np.zeros((0, 3)), repr=False, compare=False)

    def seen_from(self, frame: Array) -> "Mass":
        """The same mass in another frame; `frame` (4, 4) transforms from the current frame to the other."""
        x, y, z, _ = (frame @ (*self.centre, 1.0)).tolist()
        return replace(self, centre=(x, y, z), points=self.points @ frame[:3, :3].T + frame[:3, 3])


UNKNOWN = Mass(is_known=False)


def of_object(
    body: bpy.types.Object, bodies: set[int], density: float, depsgraph: bpy.types.Depsgraph
) -> Mass:
    """Mass and centre of mass of an object that is a body. `bodies`: session_uids of all bodies; `density`
    [kg/m3]: for a body without a mass.
    """
    part, rigid_body = body.limber.part, body.rigid_body
    to_metres = np.diag((*object_scale(body.evaluated_get(depsgraph)), 1.0))
    solid = sum((_solid(shape, body, to_metres, depsgraph) for shape in _shapes(body, bodies)), Solid())
    if part.mass_from != OWN and rigid_body is not None:
        # the centre of mass is the object's origin, as in Blender's physics
        return Mass(rigid_body.mass, points=solid.points)
    return _mass(part, solid, density, HERE)


def of_bones(
    rig: bpy.types.Object, rest: Rest, density: float, depsgraph: bpy.types.Depsgraph
) -> dict[str, Mass]:
    """Masses of an armature's bones, with centres in the bones' frames. `density` [kg/m3]: for a bone without
    a mass.

    If the file of an imported robot has masses, links without one have mass 0.
    """
    bones = rig.pose.bones
    masses = _of_files(bones, rest)
    left = [bone for bone in bones if bone.name not in masses]
    # if the centre of mass has a goal, the soles of parts on the ground are needed too, and so the shapes of
    # all bones
    is_balanced = any(goal.does == "CENTRE" for goal in rig.limber.mechanism.goals)
    shaped = {bone.name for bone in (bones if is_balanced else left)}
    solids = _solids(rig, rest, shaped, depsgraph) if shaped else {}
    masses = {
        name: replace(mass, points=solids[name].points) if name in solids else mass
        for name, mass in masses.items()
    }
    for bone in left:
        middle = (0.0, 0.5 * bone.bone.length * rest.scale[1], 0.0)
        masses[bone.name] = _mass(bone.limber_body, solids.get(bone.name, Solid()), density, middle)
    return masses


def _of_files(bones: Iterable[bpy.types.PoseBone], rest: Rest) -> dict[str, Mass]:
    """Masses from the file of an imported robot, for bones whose mass the user has not set; empty if the file
    has no masses.
    """
    if not any(inertial is not None and inertial.mass > 0.0 for inertial in rest.inertials.values()):
        return {}
    return {
        bone.name: _of_file(rest, bone.name)
        for bone in bones
        if bone.name in rest.inertials and bone.limber_body.mass_from != OWN
    }


def _mass(
    settings: bpy.types.PropertyGroup, solid: Solid, density: float, middle: tuple[float, float, float]
) -> Mass:
    """Mass set by the user, else that of a solid with the `density` [kg/m3]; UNKNOWN without either. If the
    user has set the mass and there is no solid, the centre of mass is at `middle` [m].
    """
    centre = solid.centre if solid.volume > 0.0 else middle
    if settings.mass_from == OWN:
        return Mass(settings.mass, centre, points=solid.points)
    metre = bpy.context.scene.unit_settings.scale_length
    if not solid.volume > 0.0:
        return replace(UNKNOWN, points=solid.points)
    return Mass(density * solid.volume * metre**3, centre, points=solid.points)


def _of_file(rest: Rest, bone: str) -> Mass:
    """Mass of a bone's link in the robot's file, with the centre of mass in the bone's frame; 0 if the file
    has none.
    """
    inertial = rest.inertials[bone]
    if inertial is None:
        return Mass()
    x, y, z, _ = inverse(rest.bones[bone]) @ rest.links[bone] @ (*inertial.origin.offset, 1.0)
    return Mass(inertial.mass, (float(x), float(y), float(z)))


# Shapes of bodies


def _shapes(obj: bpy.types.Object, bodies: set[int]) -> Iterator:
    """An object and its descendants, without other bodies and their descendants."""
    yield obj
    for child in obj.children:
        if child.session_uid not in bodies:
            yield from _shapes(child, bodies)


def _solid(
    obj: bpy.types.Object, carrier: bpy.types.Object, to_body: Array, depsgraph: bpy.types.Depsgraph
) -> Solid:
    """Solid of an object with its modifiers, in the frame to which `to_body` (4, 4) transforms from the
    space of the object that carries it.
    """
    evaluated = obj.evaluated_get(depsgraph)
    if obj.type != "MESH" or not evaluated.is_evaluated:
        return Solid()
    try:
        frame = to_body @ in_carrier(evaluated, carrier.evaluated_get(depsgraph))
        return solid_of(evaluated.to_mesh(), frame)
    finally:
        evaluated.to_mesh_clear()


def _solids(
    rig: bpy.types.Object, rest: Rest, names: set[str], depsgraph: bpy.types.Depsgraph
) -> dict[str, Solid]:
    """Solid of each bone, in the bone's frame: from objects parented to the bone, and from the vertices that
    follow it most.
    """
    solids: dict[str, Solid] = {}
    to_metres = np.diag((*rest.scale, 1.0))
    for obj in rig.children:
        name = obj.parent_bone
        if obj.parent_type == "BONE" and name in names:
            to_bone = inverse(rest.bones[name]) @ to_metres
            for shape in _shapes(obj, set()):
                solids[name] = solids.get(name, Solid()) + _solid(shape, rig, to_bone, depsgraph)
    # the vertices that one bone moves bound no closed volume, so their convex hull is used
    for obj in depsgraph.view_layer.objects:
        if obj.type == "MESH" and any(
            modifier.type == "ARMATURE" and modifier.object == rig for modifier in obj.modifiers
        ):
            in_rig = to_metres @ in_carrier(obj.evaluated_get(depsgraph), rig.evaluated_get(depsgraph))
            for name, vertices in _vertices_by_bone(obj, names).items():
                frame = inverse(rest.bones[name]) @ in_rig
                solids[name] = solids.get(name, Solid()) + hull_of(placed(vertices, frame))
    return solids


def _vertices_by_bone(mesh_object: bpy.types.Object, names: set[str]) -> dict[str, Array]:
    """Bone -> positions (n, 3) at rest, in the object's space, of the vertices that it moves most."""
    groups = {group.index: group.name for group in mesh_object.vertex_groups if group.name in names}
    vertices = coordinates(mesh_object.data)
    by_bone: dict[str, list[int]] = {}
    for k, vertex in enumerate(mesh_object.data.vertices):
        most = max(vertex.groups, key=lambda element: element.weight, default=None)
        if most is not None and most.weight > 0.0 and most.group in groups:
            by_bone.setdefault(groups[most.group], []).append(k)
    return {name: vertices[chosen] for name, chosen in by_bone.items()}
