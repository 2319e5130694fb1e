"""Persons whom trackers see in a scene: a live chain that targets a camera looks at the persons it sees."""

from collections.abc import Sequence

import bpy

from ...character.chain.inputs import Matrix
from ...character.seeing import SeenPersons, Sighting, unknown_camera
from ...inputs.words import named
from ..blender.errors import RigError
from .runtime import current, signals


class _Trackers:
    """Signals from trackers to live motion."""

    def is_active(self, scene: bpy.types.Scene) -> bool:
        return (persons := of(scene)) is not None and persons.is_active

    def advance(self, scene: bpy.types.Scene, dt: float) -> bool:
        if (persons := of(scene)) is not None:
            persons.advance(dt, lambda camera: _pose(scene, camera))
        return False


def unregister() -> None:
    signals.pop("trackers", None)


def of(scene: bpy.types.Scene) -> SeenPersons | None:
    """Persons whom trackers see in a scene; None if no tracker has reported yet."""
    return current().stage.persons.get(scene.session_uid)


def see(scene: bpy.types.Scene, camera: str, sighting: Sighting) -> None:
    """Records a tracker's sighting for its camera, given by the name of an object; "" if no chain should look
    at the persons.

    Raises:
        RigError: There is no such object. The behaviour still notices the persons.
    """
    signals.setdefault("trackers", _Trackers())
    persons = current().stage.persons.setdefault(scene.session_uid, SeenPersons())
    if camera not in scene.objects:
        camera = named(camera, scene.objects.keys()) or camera
    pose = _pose(scene, camera)
    persons.take(camera, sighting, pose)
    if camera and pose is None:
        raise RigError(unknown_camera(camera, [obj.name for obj in scene.objects if obj.type == "CAMERA"]))


def note_targets(scene: bpy.types.Scene, distances: Sequence[float]) -> None:
    """Records the distances [m] from chains' bases to the targets that programs move at present: each counts
    as a person who is seen.
    """
    persons = of(scene)
    if persons is None and distances:
        persons = current().stage.persons.setdefault(scene.session_uid, SeenPersons())
    if persons is not None:
        persons.note_targets(distances)


def _pose(scene: bpy.types.Scene, camera: str) -> Matrix | None:
    """World matrix of a camera as shown in the scene; None if the scene has no such object."""
    obj = scene.objects.get(camera)
    return [list(row) for row in obj.matrix_world] if obj is not None else None
