"""Data that a user can reach in a file, in any state, and data that Limber must not leave in it."""

import bpy
from limber.rig.showing import mechanism_proxy as mechanism_twin
from limber.rig.showing import proxy

from tests.blender.rigs import make_active


def is_live(rig) -> bool:
    """Whether a chain of the rig is set to live."""
    return any(chain.live for chain in rig.limber.chains)


def nth(things, pick: int):
    things = list(things)
    return things[pick % len(things)] if things else None


def reach(rig, mode: str = "OBJECT") -> bool:
    """Makes an armature the active one, in a mode, if a user can: it must not be hidden, nor may the active
    object be a hidden one in another mode.
    """
    if rig is None or rig.name not in bpy.context.view_layer.objects or not rig.visible_get():
        return False
    if bpy.context.object and not bpy.context.object.visible_get() and bpy.context.object.mode != "OBJECT":
        return False
    make_active(rig)
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode=mode)
    return True


def choose_bone(rig, pick: int) -> None:
    """Selects one bone of an armature in Pose Mode."""
    wanted = nth(rig.pose.bones, pick)
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # 5.0 moved it
        holder.select = bone == wanted
    rig.data.bones.active = wanted.bone if wanted else None


def armatures() -> list:
    """All armature objects except Limber's own."""
    return [
        thing
        for thing in bpy.data.objects
        if thing.type == "ARMATURE" and proxy.MARK not in thing and mechanism_twin.MARK not in thing
    ]


def rigs() -> list:
    """The armature objects of the scene."""
    return [rig for rig in armatures() if rig.name in bpy.context.scene.objects]


def traces(known) -> list[str]:
    """Twins, their data and constraints in the file that belong to none of these armatures."""
    uids, names = {rig.session_uid for rig in known}, {rig.name for rig in known}
    found = [
        f"object {thing.name}"
        for thing in bpy.data.objects
        if proxy.MARK in thing and thing[proxy.MARK] not in uids
    ]
    used = {thing.data for thing in bpy.data.objects if proxy.MARK in thing}
    found += [
        f"armature {data.name}" for data in bpy.data.armatures if proxy.MARK in data and data not in used
    ]
    found += [f"scene {scene.name}" for scene in bpy.data.scenes if scene.name.startswith(proxy.PROXY_NAME)]
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE" and thing.pose and thing.name not in names and proxy.MARK not in thing:
            found += [
                f"{thing.name} {bone.name}"
                for bone in thing.pose.bones
                if bone.constraints.get(proxy.CONSTRAINT)
            ]
    return found
