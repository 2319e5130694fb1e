"""Proxies: hidden armatures that hold solved poses, which the visible bones and objects copy by their last
constraint.

Constraints do not change channels, so keyframes, undo, auto-key and saved files keep the authored pose. A
proxy is in no scene and has no users, so it is never saved. Its bones have no parents and an identity rest
pose, so that each bone has exactly the transform of the object or bone that copies it.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import bpy

from ..bones.constrained import SHOWS as CONSTRAINT

WATCH = "Limber (target)"  # name of the constraints that keep targets evaluated
PROXY_NAME = "Limber Proxy"
MARK = "limber_proxy_of"  # custom property of the proxies of armatures


class Proxies(NamedTuple):
    """A kind of proxy, and the constraints by which holders (objects or pose bones) copy it."""

    title: str  # beginning of the proxies' names, before the owner's session_uid
    mark: str  # custom property of the proxy and its armature, with the session_uid of the owner
    constraint: str  # name of the constraints
    space: str  # space in which holders copy the proxy's bones

    def find(self, owner: bpy.types.Object) -> bpy.types.Object | None:
        """The proxy of an object; None if there is none. A copy of the object does not share it."""
        proxy = bpy.data.objects.get(self._name(owner))
        return proxy if proxy is not None and proxy.get(self.mark) == owner.session_uid else None

    def _name(self, owner: bpy.types.Object) -> str:
        """Name of an object's proxy."""
        return f"{self.title} {owner.session_uid}"

    def attach(self, owner: bpy.types.Object, holders: Mapping[str, object]) -> bpy.types.Object:
        """Makes holders copy the proxy of an object, which is made if it is missing; returns the proxy.

        Args:
            owner: The object.
            holders: Object or pose bone that copies each bone of the proxy, by the bone's name; None if it
                was deleted.
        """
        proxy = self.find(owner)
        if proxy is None or proxy.pose.bones.keys() != list(holders):
            if proxy is not None:
                bpy.data.armatures.remove(proxy.data)  # removing its data removes the proxy too
            proxy = hidden_armature(self._name(owner), list(holders))
            proxy[self.mark] = proxy.data[self.mark] = owner.session_uid
        for name, holder in holders.items():
            if holder is not None and not self._copies(holder, proxy, name):
                self._copy(holder, proxy, name)
        return proxy

    def is_attached(self, owner: bpy.types.Object, holders: Mapping[str, object]) -> bool:
        """Whether exactly these holders copy the proxy of an object; arguments as for `attach`."""
        proxy = self.find(owner)
        return (
            proxy is not None
            and proxy.pose.bones.keys() == list(holders)
            and all(holder is None or self._copies(holder, proxy, name) for name, holder in holders.items())
        )

    def _copy(
        self, holder: bpy.types.Object | bpy.types.PoseBone, proxy: bpy.types.Object, name: str
    ) -> None:
        """Adds a last constraint by which a holder copies the proxy's bone `name`."""
        self.release(holder)
        constraint = holder.constraints.new("COPY_TRANSFORMS")
        constraint.name = self.constraint
        constraint.target, constraint.subtarget = proxy, name
        constraint.owner_space = constraint.target_space = self.space
        constraint.mix_mode = "REPLACE"
        constraint.show_expanded = False

    def _copies(
        self, holder: bpy.types.Object | bpy.types.PoseBone, proxy: bpy.types.Object, name: str
    ) -> bool:
        """Whether the last constraint of a holder copies the proxy's bone `name`."""
        last = holder.constraints[-1] if holder.constraints else None
        is_own = last is not None and last.name == self.constraint
        return is_own and last.target == proxy and last.subtarget == name

    def release(self, holder: bpy.types.Object | bpy.types.PoseBone) -> None:
        """Removes the constraints to the proxy from a holder, so that it shows its authored pose again."""
        for constraint in [
            c
            for c in holder.constraints
            if c.name.startswith(self.constraint) and c.type == "COPY_TRANSFORMS"
        ]:
            holder.constraints.remove(constraint)

    def discard_others(self, owners: Collection) -> None:
        """Deletes all proxies except those of these objects: proxies of deleted owners, of owners that are no
        longer live, and of files saved without Limber.
        """
        kept_proxies = [self.find(owner) for owner in owners]
        if strays := [obj for obj in bpy.data.objects if self.mark in obj and obj not in kept_proxies]:
            bpy.data.batch_remove(strays)
        if data := [
            armature for armature in bpy.data.armatures if self.mark in armature and not armature.users
        ]:
            bpy.data.batch_remove(data)


# proxies for the bones of armatures that chains and bodies move
RIGS = Proxies(PROXY_NAME, MARK, CONSTRAINT, "LOCAL")


def rigs() -> list[bpy.types.Object]:
    """All armature objects of the file except the proxies of armatures (`RIGS`)."""
    return [obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj.pose and MARK not in obj]


def own(bone: bpy.types.PoseBone) -> bpy.types.Constraint | None:
    """Limber's constraint on a pose bone; None if the bone has none."""
    return bone.constraints.get(CONSTRAINT)


def has_constraints(rig: bpy.types.Object) -> bool:
    """Whether a bone of a rig has Limber's constraint."""
    return any(own(bone) for bone in rig.pose.bones)


def find(rig: bpy.types.Object) -> bpy.types.Object | None:
    """The proxy of an armature object; None if there is none."""
    return RIGS.find(rig)


def holders(rig: bpy.types.Object, names: Collection[str]) -> dict[str, bpy.types.PoseBone | None]:
    """Pose bones of an armature by their names; None for a bone that does not exist."""
    return {name: rig.pose.bones.get(name) for name in names}


def attach(rig: bpy.types.Object, names: Collection[str]) -> bpy.types.Object:
    """Makes the bones `names` of an armature, and none of its other bones, copy its proxy; returns the
    proxy.
    """
    for bone in rig.pose.bones:
        if bone.name not in names:
            RIGS.release(bone)
    return RIGS.attach(rig, holders(rig, names))


def hidden_armature(title: str, names: list[str]) -> bpy.types.Object:
    """Makes an armature object in no scene, with parentless bones whose rest pose is the identity."""
    data = bpy.data.armatures.new(title)
    proxy = bpy.data.objects.new(title, data)
    # bones can be made in Edit Mode only; a temporary scene leaves the user's mode and selection unchanged
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


def detach(rig: bpy.types.Object) -> None:
    """Removes Limber's constraints from a rig, which then shows the authored pose."""
    for bone in rig.pose.bones:
        RIGS.release(bone)


def watch(proxy: bpy.types.Object, targets: dict[str, list[bpy.types.Object]]) -> None:
    """Makes Blender evaluate hidden targets, by adding constraints without influence to the proxy that refer
    to them.

    Args:
        proxy: The proxy.
        targets: Name of a bone of the proxy -> objects to which the bone's constraints refer.
    """
    for bone in proxy.pose.bones:
        if _watches(bone, targets):
            continue
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
        for target in targets.get(bone.name, []):
            constraint = bone.constraints.new("COPY_LOCATION")
            constraint.name, constraint.influence, constraint.target = WATCH, 0.0, target


def is_watching(proxy: bpy.types.Object, targets: dict[str, list[bpy.types.Object]]) -> bool:
    """Whether exactly these targets are evaluated for the proxy's bones."""
    return all(_watches(bone, targets) for bone in proxy.pose.bones)


def _watches(bone: bpy.types.PoseBone, targets: dict[str, list[bpy.types.Object]]) -> bool:
    """Whether the constraints of a proxy's bone refer to exactly its targets."""
    return [constraint.target for constraint in bone.constraints] == targets.get(bone.name, [])


def write(
    proxy: bpy.types.Object, rotations: list[float], locations: list[float], scales: list[float]
) -> None:
    """Shows a pose on the proxy, given by rotations (quaternions), locations [m] and scales of all its bones
    as flat lists.
    """
    bones = proxy.pose.bones
    bones.foreach_set("rotation_quaternion", rotations)
    bones.foreach_set("location", locations)
    bones.foreach_set("scale", scales)
    proxy.update_tag(refresh={"DATA"})
