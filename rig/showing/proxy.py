"""The proxy: a hidden armature that holds the solved pose, which the visible bones copy by a constraint.

Constraints do not change channels, so keyframes, undo, auto-key and saved files keep the authored pose. The
proxy is in no scene and has no users, so it is never saved. Its bones have no parents and an identity rest
pose, so that the local transform of each is the basis of the visible bone, to Blender's own precision.
"""

import bpy

from ..bones.constrained import SHOWS as CONSTRAINT

WATCH = "Limber (target)"
PROXY_NAME = "Limber Proxy"
MARK = "limber_proxy_of"  # custom property of the proxy and its armature: the session_uid of its rig


def rigs() -> list[bpy.types.Object]:
    """All armature objects of the file except the proxies."""
    return [obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj.pose and MARK not in obj]


def own(bone) -> bpy.types.Constraint | None:
    """Limber's constraint on a pose bone; None: the bone has none."""
    return bone.constraints.get(CONSTRAINT)


def has_constraints(rig) -> bool:
    return any(own(bone) for bone in rig.pose.bones)


def find(rig) -> bpy.types.Object | None:
    """The proxy of a rig, found by the constraints that use it, so that a copy of the rig does not get the
    original's; None: there is none.
    """
    for bone in rig.pose.bones:
        constraint = own(bone)
        if constraint and constraint.target and constraint.target.get(MARK) == rig.session_uid:
            return constraint.target
    return None


def build(rig, names: list[str]) -> bpy.types.Object:
    """Makes a proxy for the bones `names` of a rig. The bones copy it only after `attach`."""
    proxy = hidden_armature(PROXY_NAME, names)
    proxy[MARK] = proxy.data[MARK] = rig.session_uid
    return proxy


def hidden_armature(title: str, names: list[str]) -> bpy.types.Object:
    """Makes an armature object in no scene, with parentless bones whose rest pose is the identity."""
    data = bpy.data.armatures.new(title)
    proxy = bpy.data.objects.new(title, data)
    # Bones can be made in Edit Mode only. A temporary scene leaves the user's mode and selection as they are.
    scene = bpy.data.scenes.new(title)
    scene.collection.objects.link(proxy)
    view_layer = scene.view_layers[0]
    view_layer.objects.active = proxy
    with bpy.context.temp_override(
        scene=scene, view_layer=view_layer, object=proxy, active_object=proxy, selected_objects=[proxy]
    ):
        bpy.ops.object.mode_set(mode="EDIT")
        for name in names:
            bone = data.edit_bones.new(name)
            bone.head, bone.tail, bone.roll = (0, 0, 0), (0, 1, 0), 0
        bpy.ops.object.mode_set(mode="OBJECT")
    scene.collection.objects.unlink(proxy)
    bpy.data.scenes.remove(scene)
    for bone in proxy.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return proxy


def attach(rig, proxy) -> None:
    """Adds a last constraint to each of the rig's bones by which it copies the proxy."""
    detach(rig)
    for bone in proxy.pose.bones:
        copy(rig.pose.bones[bone.name], proxy, bone.name, CONSTRAINT, "LOCAL")


def copy(holder, proxy, name: str, title: str, space: str) -> None:
    """Adds a last constraint to an object or bone, named `title`, by which it copies the proxy's bone
    `name`.
    """
    release(holder, title)
    constraint = holder.constraints.new("COPY_TRANSFORMS")
    constraint.name = title
    constraint.target, constraint.subtarget = proxy, name
    constraint.owner_space = constraint.target_space = space
    constraint.mix_mode = "REPLACE"
    constraint.show_expanded = False


def copies(holder, proxy, name: str, title: str) -> bool:
    """Whether the last constraint of an object or bone copies the proxy's bone `name`."""
    last = holder.constraints[-1] if holder.constraints else None
    return last is not None and last.name == title and last.target == proxy and last.subtarget == name


def release(holder, title: str) -> None:
    """Removes the constraints named `title` from an object or bone, so that it shows its authored
    pose again.
    """
    for constraint in [
        c for c in holder.constraints if c.name.startswith(title) and c.type == "COPY_TRANSFORMS"
    ]:
        holder.constraints.remove(constraint)


def is_attached(rig, proxy, names: list[str]) -> bool:
    """Whether exactly these bones copy the proxy, each by its last constraint."""
    bones = rig.pose.bones
    return [bone.name for bone in proxy.pose.bones] == names and all(
        (bone := bones.get(name)) is not None and copies(bone, proxy, name, CONSTRAINT) for name in names
    )


def detach(rig) -> None:
    """Removes Limber's constraints from a rig, which then shows the authored pose."""
    for bone in rig.pose.bones:
        release(bone, CONSTRAINT)


def watch(proxy, targets: dict[str, list[bpy.types.Object]]) -> None:
    """Makes Blender evaluate hidden targets, by adding constraints without influence to the proxy that refer
    to them.

    Args:
        proxy: The proxy.
        targets: Objects by the name of the proxy's bone that gets the constraint.
    """
    for bone in proxy.pose.bones:
        if _watches(bone, targets):
            continue
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
        for target in targets.get(bone.name, []):
            constraint = bone.constraints.new("COPY_LOCATION")
            constraint.name, constraint.influence, constraint.target = WATCH, 0.0, target


def is_watching(proxy, targets: dict[str, list[bpy.types.Object]]) -> bool:
    """Whether exactly these targets are evaluated for the proxy's bones."""
    return all(_watches(bone, targets) for bone in proxy.pose.bones)


def _watches(bone, targets: dict[str, list[bpy.types.Object]]) -> bool:
    return [constraint.target for constraint in bone.constraints] == targets.get(bone.name, [])


def write(proxy, rotations: list[float], locations: list[float], scales: list[float]) -> None:
    """Shows a pose on the proxy: rotations, locations and scales of all its bones as flat lists, in its bone
    order.
    """
    bones = proxy.pose.bones
    bones.foreach_set("rotation_quaternion", rotations)
    bones.foreach_set("location", locations)
    bones.foreach_set("scale", scales)
    proxy.update_tag(refresh={"DATA"})


def discard_others(proxies: list[bpy.types.Object]) -> None:
    """Deletes all other proxies: of deleted rigs, of rigs that are no longer live, and of files saved without
    Limber.
    """
    sweep(
        [obj for obj in bpy.data.objects if obj.type == "ARMATURE" and MARK in obj and obj not in proxies],
        MARK,
    )


def sweep(strays: list[bpy.types.Object], mark: str) -> None:
    """Deletes the proxies `strays`, and armatures without users that are marked as proxies."""
    if strays:
        bpy.data.batch_remove(strays)
    data = [armature for armature in bpy.data.armatures if mark in armature and not armature.users]
    if data:
        bpy.data.batch_remove(data)
