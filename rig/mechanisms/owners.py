"""Identity of mechanisms: a duplicated mechanism gets a uid of its own."""

from uuid import uuid4

import bpy

TYPES = ("EMPTY", "ARMATURE")  # types of objects that can own a mechanism


def has_mechanism(obj: bpy.types.Object | None) -> bool:
    """Whether an object owns a mechanism; False for None."""
    return obj is not None and obj.type in TYPES and bool(obj.limber.mechanism.uid)


def own_identity(owner: bpy.types.Object) -> None:
    """Gives a duplicated mechanism a new uid when it is first used. A live mechanism keeps its uid."""
    settings = owner.limber.mechanism
    if not settings.live and any(
        has_mechanism(other)
        and other.limber.mechanism.uid == settings.uid
        and other.session_uid < owner.session_uid
        for other in bpy.data.objects
    ):
        settings.uid = uuid4().hex
