"""Drivers and constraints that would override or change baked motion; a bake mutes them and reports their
names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

import bpy
from mathutils import Quaternion

from ..blender import actions
from ..blender.presence import find
from ..bones import rotation_modes, shown_values
from ..bones.channels import PARTS, Channel
from ..bones.constrained import HARMLESS
from ..bones.joint_axes import why_no_limits
from ..mechanisms.joint_kinds import LETTERS

OWN = "Limber"  # beginning of the names of Limber's own constraints
SWITCHES = ("mute", "enabled")  # properties that switch a constraint: one mutes it, the other enables it
# parts of a transform whose components are limited as Euler angles, all together
JOINTLY_LIMITED = ("rotation_quaternion", "rotation_axis_angle")
SLACK = 1e-5  # [rad or m] tolerance of single precision, within which a limit counts as kept


def span(channel: Channel, values: list[float]) -> list[float]:
    """The values of a channel's keys that `mute_what_wins` needs: the smallest and the largest; all of a
    quaternion's or axis-angle's component, since those are limited as Euler angles.
    """
    return values if channel.name in JOINTLY_LIMITED else [min(values), max(values)]


def mute_what_wins(keys: Mapping[Channel, list[float]]) -> list[str]:
    """Mutes drivers that would override the keyed channels, and constraints that would change the keyed
    transforms. `keys` has the values of each channel, or their `span`.

    Returns sentences on what was muted.
    """
    owners = [channel.owner for channel in {channel.uid: channel for channel in keys}.values()]
    drivers = [
        label
        for owner in owners
        for label in mute_drivers(owner, [c for c in keys if c.uid == owner.session_uid])
    ]
    constraints = mute_constraints(keys)
    sentences = (
        [f"Drivers of {', '.join(drivers)} are muted: they would win over the keys"] if drivers else []
    )
    return sentences + (
        [f"Constraints are muted, which would act on top of the keys: {', '.join(constraints)}"]
        if constraints
        else []
    )


def mute_drivers(owner: bpy.types.ID, channels: list[Channel]) -> list[str]:
    """Mutes the drivers of an object's baked channels; returns labels of the driven properties."""
    baked = {(channel.path, channel.index) for channel in channels}
    baked |= {
        (path.removesuffix("value") + "linear_value", index)
        for path, index in baked
        if path.endswith(".value")
    }
    muted = []
    for driver in owner.animation_data.drivers if owner.animation_data else ():
        path_and_index = driver.data_path, driver.array_index
        if path_and_index in baked and not driver.mute:
            driver.mute = True
            muted.append(_label(owner, *path_and_index))
    return muted


def _label(owner: bpy.types.ID, path: str, index: int) -> str:
    """The property that a driver drives, as text."""
    start, _, channel = path.rpartition(".")
    if channel not in PARTS:
        return f"motor '{owner.path_resolve(start).name}'"
    name = owner.path_resolve(start).name if start else owner.name
    return f"'{name}' {channel.partition('_')[0]} {PARTS[channel][index]}"


def keyed_holders(keys: Mapping[Channel, list[float]]) -> list:
    """The bones and objects whose constraints are muted: bones that have keys, and objects that have keys on
    all components of location and rotation.
    """
    return [holder for holder, _, _ in _keyed_transforms(keys)]


def _keyed_transforms(keys: Mapping[Channel, list[float]]) -> Iterator[tuple]:
    """Yields (object or bone, location, rotation); location and rotation have for each component the list of
    its values in `keys`, with the current value for components without keys.

    Objects are left out unless their location and rotation are keyed completely.
    """
    columns_by_holder: dict[tuple, dict[str, dict[int, list[float]]]] = {}
    for channel, values in keys.items():
        if channel.name in PARTS:
            columns_by_holder.setdefault(channel[:3], {}).setdefault(channel.name, {})[channel.index] = values
    for (name, uid, bone), columns in columns_by_holder.items():
        obj = find(name, uid)
        is_whole = (
            "location" in columns
            and len(columns) > 1
            and all(len(rows) == len(PARTS[part]) for part, rows in columns.items())
        )
        if bone or is_whole:
            holder = obj.pose.bones[bone] if bone else obj
            rotation = next(
                (part for part in columns if part != "location"), rotation_modes.channel(holder.rotation_mode)
            )
            yield holder, *(_columns(holder, part, columns.get(part, {})) for part in ("location", rotation))


def _columns(
    holder: bpy.types.Object | bpy.types.PoseBone, part: str, columns: Mapping[int, list[float]]
) -> list[list[float]]:
    """Values of an object's or bone's location or rotation in all frames, for each component; components
    without keys have their current value.
    """
    current = getattr(holder, part)
    length = max(map(len, columns.values()), default=1)
    return [columns.get(index, [current[index]] * length) for index in range(len(PARTS[part]))]


def mute_constraints(keys: Mapping[Channel, list[float]]) -> list[str]:
    """Mutes constraints that would change keyed transforms; returns their names with the names of their
    owners.
    """
    muted = []
    holders = list(_keyed_transforms(keys))
    constraints_in_way = [
        (holder, constraint)
        for holder, locations, rotations in holders
        for constraint in in_the_way(holder, locations, rotations)
    ]
    for holder, constraint in [
        *constraints_in_way,
        *_reaching([holder for holder, _, _ in holders if isinstance(holder, bpy.types.PoseBone)]),
    ]:
        if not constraint.mute:
            mute(constraint)
            muted.append(f"'{constraint.name}' of '{holder.name}'")
    return muted


def _reaching(keyed: list[bpy.types.PoseBone]) -> Iterator[tuple]:
    """(bone, constraint) of each IK constraint with a target that moves any of these bones."""
    for rig in dict.fromkeys(bone.id_data for bone in keyed):
        names = {bone.name for bone in keyed if bone.id_data == rig}
        for bone in rig.pose.bones:
            for constraint in bone.constraints:
                if (
                    constraint.type in shown_values.IK
                    and constraint.target is not None
                    and any(part.name in names for part in shown_values.reached(bone, constraint))
                ):
                    yield bone, constraint


def in_the_way(
    holder: bpy.types.Object | bpy.types.PoseBone, locations: list[list[float]], rotations: list[list[float]]
) -> Iterator:
    """Constraints of an object or bone that would change its baked location or rotation in some frame.
    `locations` and `rotations` have for each component the values in all frames.

    Left out are muted constraints, Limber's own, those that only scale bones, and a bone's Limit Location or
    Limit Rotation that defines its joints' limits, unless the motion exceeds it.
    """
    for constraint in holder.constraints:
        is_of_bone = isinstance(holder, bpy.types.PoseBone)
        if constraint.mute or constraint.name.startswith(OWN) or (is_of_bone and constraint.type in HARMLESS):
            continue
        if (
            is_of_bone
            and constraint.type in ("LIMIT_LOCATION", "LIMIT_ROTATION")
            and not why_no_limits(holder, constraint)
        ):
            # extremes suffice for components that are keyed; a quaternion's Euler angles need every frame
            rows = (
                _extremes(locations) if constraint.type == "LIMIT_LOCATION" else _as_euler(holder, rotations)
            )
            if not any(_crosses(constraint, row) for row in rows):
                continue
        yield constraint


def _as_euler(
    holder: bpy.types.Object | bpy.types.PoseBone, rotations: list[list[float]]
) -> Iterable[Sequence[float]]:
    """Rows of Euler angles [rad] to test against limits: of all frames if the holder rotates by quaternion or
    axis-angle, else of the smallest and the largest angles.
    """
    if holder.rotation_mode == "QUATERNION":
        return (Quaternion(row).to_euler() for row in zip(*rotations, strict=True))
    if holder.rotation_mode == "AXIS_ANGLE":
        return (Quaternion(row[1:], row[0]).to_euler() for row in zip(*rotations, strict=True))
    return _extremes(rotations)


def _extremes(columns: list[list[float]]) -> list[list[float]]:
    """Two rows: the smallest and the largest value of each column."""
    return [[least(column) for column in columns] for least in (min, max)]


def _crosses(constraint: bpy.types.Constraint, row: Sequence[float]) -> bool:
    """Whether a row of X, Y and Z values [rad or m] exceeds a constraint's limits."""
    for value, letter in zip(row, LETTERS.lower(), strict=True):
        if constraint.type == "LIMIT_ROTATION":
            has_low = has_high = getattr(constraint, f"use_limit_{letter}")
        else:
            has_low = getattr(constraint, f"use_min_{letter}")
            has_high = getattr(constraint, f"use_max_{letter}")
        low = getattr(constraint, f"min_{letter}") if has_low else -inf
        high = getattr(constraint, f"max_{letter}") if has_high else inf
        if not low - SLACK <= value <= high + SLACK:
            return True
    return False


def mute(constraint: bpy.types.Constraint) -> None:
    """Mutes a constraint, and the drivers of its mute and enabled properties."""
    constraint.mute = True
    animation = constraint.id_data.animation_data
    for driver in animation.drivers if animation else ():
        if driver.data_path in _switches(constraint):
            driver.mute = True


def mute_switches(
    holder: bpy.types.Object | bpy.types.PoseBone, curves: bpy.types.bpy_prop_collection
) -> None:
    """Mutes the F-curves by which keyframes could switch on a muted constraint of a holder."""
    for constraint in holder.constraints:
        for path in _switches(constraint) if constraint.mute else ():
            curve = actions.find(curves, path, 0)
            if curve is not None:
                curve.mute = True


def _switches(constraint: bpy.types.Constraint) -> list[str]:
    """Data paths of the properties that switch a constraint on and off."""
    return [f"{constraint.path_from_id()}.{switch}" for switch in SWITCHES]
