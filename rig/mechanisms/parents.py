"""Parents whose pose is unknown until Blender has evaluated them, so that the channels of their children
cannot be computed.
"""

from collections.abc import Iterator, Sequence

import bpy

from ..blender.errors import RigError
from ..blender.presence import find
from ..scene.carried_frames import is_on_shape
from ..scene.dependencies import Dependency, dependencies_of, is_on
from ..scene.placement import is_plain
from .authored_mechanism import Part

OWN = "Limber"  # beginning of the names of Limber's own constraints


def refuse_unknown(movers: Sequence[Part]) -> None:
    """Raises RigError if the pose of a parent of moving parts cannot be predicted, because a constraint or
    modifier makes the parent depend on something that moves as well.
    """
    bodies: dict[int, set[str]] = {}
    for part in movers:
        bodies.setdefault(part.uid, set()).add(part.bone)
    for part in movers:
        if not part.bone:
            _refuse(part, bodies)


def _refuse(part: Part, bodies: dict[int, set[str]]) -> None:
    """Raises RigError if the pose of an ancestor of a part's object cannot be predicted. `bodies`:
    session_uid of each object that moves -> bones ("": the object itself).
    """
    obj = find(part.object_name, part.uid)
    while obj.parent is not None:
        parent = obj.parent
        followed = [
            *(_shapers(parent) if is_on_shape(obj) else ()),
            *(_followed(parent) if parent.session_uid not in bodies else ()),
        ]
        for how, other in followed:
            if any(
                is_on(dependency, bodies)
                for dependency in [Dependency("", other, ""), *dependencies_of(other)]
            ) or _is_live(other):
                raise RigError(
                    f"'{part.object_name}' is a child of '{parent.name}', which {how} '{other.name}', so its"
                    f" pose cannot be predicted: clear the parent of '{obj.name}' (Alt P) or parent it to a"
                    " body"
                )
        if parent.session_uid in bodies:
            return
        obj = parent


def _shapers(parent: bpy.types.Object) -> Iterator[tuple[str, object]]:
    """(description, object) of the objects on which an object's modifiers depend."""
    for modifier in parent.modifiers:
        for other in (
            getattr(modifier, name, None)
            for name in ("object", "target", "auxiliary_target", "mirror_object", "offset_object", "origin")
        ):
            if getattr(other, "id_type", "") == "OBJECT" and modifier.show_viewport:
                yield f"is shaped by its modifier '{modifier.name}' after", other


def _followed(parent: bpy.types.Object) -> Iterator[tuple[str, object]]:
    """(description, object) of the objects that an object follows by constraints whose result is known only
    for the previous frame.
    """
    for constraint in parent.constraints:
        if constraint.mute or is_plain(constraint) or constraint.name.startswith(OWN):
            continue
        for target in getattr(constraint, "targets", None) or (constraint,):
            other = getattr(target, "target", None)
            if other is not None:
                yield f"follows by its constraint '{constraint.name}'", other


def _is_live(obj: bpy.types.Object) -> bool:
    """Whether an object is an armature with a live chain. A bake does not write that chain's pose to the
    scene while it runs, so the pose of an object that follows the armature is not known.
    """
    return any(chain.live for chain in obj.limber.chains)
