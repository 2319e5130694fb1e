"""Stored postures of a character file, and their JSON."""

from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ...solvers.kinematics.skeleton import Angles
from .tracks import ArrayReader, ArrayWriter


class StoredPosture(NamedTuple):
    """A stored posture of a chain or mechanism."""

    name: str
    values: Angles  # (n,) [rad; prismatic joints m]; NaN for joints without a value in the posture


def postures_json(postures: tuple[StoredPosture, ...], arrays: ArrayWriter) -> list[dict[str, Any]]:
    """Postures as JSON; their values go to `arrays`."""
    return [{"name": posture.name, "values": arrays.put(posture.values)} for posture in postures]


def postures_of(plain: JsonFields, arrays: ArrayReader, count: int) -> tuple[StoredPosture, ...]:
    """Reads postures that `postures_json` has written, from the field "postures"; `count`: number of
    joints.
    """
    return tuple(
        StoredPosture(posture.get("name", str), arrays.get(posture, "values", (count,), may_lack=True))
        for posture in plain.children("postures", "posture", "name")
    )
