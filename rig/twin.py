"""The solution twin: a hidden armature that carries the warped pose, which the visible bones copy by a constraint.

The authored channels stay the user's own: constraints are no channels, so neither keys, undo, auto-key nor a saved file can take the
warped pose for the authored one. The twin is in no scene and has no users, so it is never saved. Each of its bones is parentless and
stands at the origin without a turn, so that its local transform is the basis of the visible bone, to the precision of Blender's own.
"""

import bpy

CONSTRAINT = "Limber (live)"
TWIN_NAME = "Limber Twin"
MARK = "limber_twin_of"  # on the twin: the name of the rig it was made for


def find(rig) -> bpy.types.Object | None:
    """The rig's twin, by the constraints that use it."""
    for bone in rig.pose.bones:
        constraint = own(bone)
        if constraint and constraint.target and MARK in constraint.target:
            return constraint.target
    return None


def rigs() -> list[bpy.types.Object]:
    """Every armature object that is no twin. A list, since what is done to them may delete twins."""
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.pose and MARK not in thing]


def own(bone) -> bpy.types.Constraint | None:
    """Limber's constraint on a pose bone."""
    return bone.constraints.get(CONSTRAINT)


def build(rig, names: list[str]) -> bpy.types.Object:
    """Makes the twin for bones `names` of `rig` and lets them copy it, in the pose in which they are. Replaces an old twin."""
    remove(rig)
    twin = _new_armature(rig, names)
    for name in names:
        bone = rig.pose.bones[name]
        constraint = bone.constraints.new("COPY_TRANSFORMS")
        constraint.name = CONSTRAINT
        constraint.target, constraint.subtarget = twin, name
        constraint.owner_space = constraint.target_space = "LOCAL"
        constraint.mix_mode = "REPLACE"
        constraint.show_expanded = False
    return twin


def _new_armature(rig, names: list[str]) -> bpy.types.Object:
    """Bones can be made in edit mode alone, and edit mode needs an object in the scene: for a moment the twin is in it."""
    view_layer = bpy.context.view_layer
    active, selected = view_layer.objects.active, list(view_layer.objects.selected)
    for thing in selected:  # selected armatures would enter edit mode along with the twin, and leave pose mode
        thing.select_set(False)
    data = bpy.data.armatures.new(TWIN_NAME)
    twin = bpy.data.objects.new(TWIN_NAME, data)
    collection = bpy.context.scene.collection
    collection.objects.link(twin)
    with bpy.context.temp_override(active_object=twin, object=twin, selected_objects=[twin]):
        view_layer.objects.active = twin
        bpy.ops.object.mode_set(mode="EDIT")
        for name in names:
            bone = data.edit_bones.new(name)
            bone.head, bone.tail, bone.roll = (0, 0, 0), (0, 1, 0), 0
        bpy.ops.object.mode_set(mode="OBJECT")
    view_layer.objects.active = active
    for thing in selected:
        thing.select_set(True)
    collection.objects.unlink(twin)
    twin[MARK] = rig.name
    for bone in twin.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return twin


def write(twin, rotations: list[float], locations: list[float], scales: list[float]) -> None:
    """Shows a pose: flat basis channels of all of the twin's bones, in its own order."""
    bones = twin.pose.bones
    bones.foreach_set("rotation_quaternion", rotations)
    bones.foreach_set("location", locations)
    bones.foreach_set("scale", scales)
    twin.update_tag(refresh={"DATA"})


def is_last(rig, names: list[str]) -> bool:
    """Whether every bone has the constraint, after all others, so that the warped pose is what shows."""
    for name in names:
        constraints = rig.pose.bones[name].constraints
        if not constraints or constraints[-1].name != CONSTRAINT or constraints[-1].target is None:
            return False
    return True


def move_last(rig, names: list[str]) -> None:
    """Behind constraints that the user has added since."""
    for name in names:
        constraints = rig.pose.bones[name].constraints
        constraints.move(constraints.find(CONSTRAINT), len(constraints) - 1)


def remove(rig) -> None:
    """Takes the twin and its constraints away: the rig shows what is authored."""
    twin = find(rig)
    for bone in rig.pose.bones:
        constraint = own(bone)
        if constraint:
            bone.constraints.remove(constraint)
    if twin and not any(find(other) == twin for other in bpy.data.objects if other.type == "ARMATURE" and other != rig and other.pose):
        discard(twin)


def discard(twin) -> None:
    data = twin.data
    bpy.data.objects.remove(twin)
    if data and not data.users:
        bpy.data.armatures.remove(data)


def remove_strays() -> None:
    """What a file that was saved without Limber's hooks (a recovered session) may hold: constraints without a twin, an orphan twin."""
    for rig in rigs():
        if rig.is_editable:
            remove(rig)
    for twin in [candidate for candidate in bpy.data.objects if MARK in candidate]:
        discard(twin)
    for data in [armature for armature in bpy.data.armatures if armature.name.startswith(TWIN_NAME) and not armature.users]:
        bpy.data.armatures.remove(data)
