"""Masses of bodies and their centres: as the user set them, from the robot's file or the rigid body, or from meshes.

A mass that is given nowhere is the volume of what moves with the body, times the mechanism's density. What has no volume has no mass: Check
names it where a goal is for the centre of mass.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ....solvers.mechanism.frames import Array, inverse
from .poses import rigid
from .rest import Rest
from .volumes import Solid, hull_of, placed, solid_of

OWN = "OWN"  # mass_from: the user set it
HERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Mass:
    """A body's mass and its centre."""

    kilograms: float = 0.0
    centre: tuple[float, float, float] = HERE  # [m] in the body's own frame
    is_known: bool = True  # False: the mass is given nowhere

    def seen_from(self, frame: Array) -> "Mass":
        """The same with its centre in another frame, into which (4, 4) leads."""
        x, y, z, _ = (frame @ (*self.centre, 1.0)).tolist()
        return replace(self, centre=(x, y, z))


UNKNOWN = Mass(is_known=False)


def of_object(thing, bodies: set[int], density: float, depsgraph) -> Mass:
    """The mass of an object that is a body; `bodies` are the session_uids of all that are."""
    part, held = thing.limber.part, thing.rigid_body
    if part.mass_from != OWN and held is not None:
        return Mass(held.mass)  # about the object's origin, as Blender's own physics has it
    back = inverse(rigid(thing.evaluated_get(depsgraph).matrix_world))
    solid = sum((_seen(one, back, depsgraph) for one in _shapes(thing, bodies)), Solid())
    return _mass(part, solid, density, HERE)


def of_bones(rig, rest: Rest, density: float, depsgraph) -> dict[str, Mass]:
    """The masses of an armature's bones, each in the bone's frame.

    If the file of an imported robot has masses, links without one weigh nothing.
    """
    is_told = any(inertial is not None and inertial.mass > 0.0 for inertial in rest.inertials.values())
    found: dict[str, Mass] = {}
    for bone in rig.pose.bones:
        if is_told and bone.name in rest.inertials and bone.limber_body.mass_from != OWN:
            found[bone.name] = _of_file(rest, bone.name)
    left = [bone for bone in rig.pose.bones if bone.name not in found]
    solids = _solids(rig, rest, {bone.name for bone in left}, depsgraph) if left else {}
    for bone in left:
        middle = (0.0, 0.5 * bone.bone.length * rig.matrix_world.to_scale()[1], 0.0)
        found[bone.name] = _mass(bone.limber_body, solids.get(bone.name, Solid()), density, middle)
    return found


def _mass(said, solid: Solid, density: float, middle: tuple[float, float, float]) -> Mass:
    """The mass that the user set, else that of a solid; without a solid the centre is at `middle`."""
    centre = solid.centre if solid.volume > 0.0 else middle
    if said.mass_from == OWN:
        return Mass(said.mass, centre)
    metre = bpy.context.scene.unit_settings.scale_length
    return Mass(density * solid.volume * metre**3, centre) if solid.volume > 0.0 else UNKNOWN


def _of_file(rest: Rest, bone: str) -> Mass:
    inertial = rest.inertials[bone]
    if inertial is None:
        return Mass()
    x, y, z, _ = inverse(rest.bones[bone]) @ rest.links[bone] @ (*inertial.origin.offset, 1.0)
    return Mass(inertial.mass, (float(x), float(y), float(z)))


# -- what is seen --


def _shapes(thing, bodies: set[int]) -> Iterator:
    """An object and its descendants, without other bodies and their descendants."""
    yield thing
    for child in thing.children:
        if child.session_uid not in bodies:
            yield from _shapes(child, bodies)


def _seen(thing, back: Array, depsgraph) -> Solid:
    """The solid of an object with its modifiers, in the frame into which `back` (4, 4) leads from the world."""
    evaluated = thing.evaluated_get(depsgraph)
    if thing.type != "MESH" or not evaluated.is_evaluated:
        return Solid()
    try:
        return solid_of(evaluated.to_mesh(), back @ np.array(evaluated.matrix_world))
    finally:
        evaluated.to_mesh_clear()


def _solids(rig, rest: Rest, names: set[str], depsgraph) -> dict[str, Solid]:
    """The solids of objects parented to bones, and of the vertices that each bone moves most, in the bones' frames."""
    found: dict[str, Solid] = {}
    shown = rig.evaluated_get(depsgraph)
    for thing in rig.children:
        name = thing.parent_bone
        if thing.parent_type == "BONE" and name in names:
            back = inverse(rigid(shown.matrix_world @ shown.pose.bones[name].matrix))
            for one in _shapes(thing, set()):
                found[name] = found.get(name, Solid()) + _seen(one, back, depsgraph)
    for thing in depsgraph.view_layer.objects:
        if thing.type == "MESH" and any(one.type == "ARMATURE" and one.object == rig for one in thing.modifiers):
            for name, places in _moved(thing, names).items():
                found[name] = found.get(name, Solid()) + hull_of((np.c_[places, np.ones(len(places))] @ inverse(rest.bones[name]).T)[:, :3])
    return found


def _moved(thing, names: set[str]) -> dict[str, Array]:
    """(n, 3) the vertices at rest, in the world, that each bone moves most."""
    groups = {group.index: group.name for group in thing.vertex_groups if group.name in names}
    places = placed(thing.data, np.array(thing.matrix_world))
    by_bone: dict[str, list[int]] = {}
    for k, vertex in enumerate(thing.data.vertices):
        most = max(vertex.groups, key=lambda one: one.weight, default=None)
        if most is not None and most.weight > 0.0 and most.group in groups:
            by_bone.setdefault(groups[most.group], []).append(k)
    return {name: places[chosen] for name, chosen in by_bone.items()}
