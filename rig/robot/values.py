"""Values that the robot follows (shown joint values, and animatable properties with their motion filters),
and posing an armature or mechanism from such values.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite, nan
from types import MappingProxyType

import bpy

from ...motion import Kinematic
from ..blender import actions
from ..blender.errors import RigError
from ..blender.free_name import free_name
from ..bones.channels import MOTORS, Channel
from ..bones.file_joints import SourceKey
from ..bones.shown_values import Deviation
from ..chains import postures
from ..live.mover import JointKey, Mover
from ..live.movers import movers_of
from ..live.runtime import session
from ..properties.servo_units import usual_servo
from .device import Source

# [rad; prismatic joints m; auxiliary values in their own unit], alone or with its velocity and acceleration
# per frame, or per another unit of time that the function names
Value = float | Kinematic
QUOTES = ("'", '"')  # quotes around a key in a data path
# a wider soft range of a property is not used, since it says nothing on the values that the property has
MOST_RANGE = 1000.0
# default velocity, acceleration and jerk, in ranges per s, s2, s3, with which a hobby servo takes 0.25 s for
# its range
RATES = 4.0, 40.0, 400.0


def shown(rig: bpy.types.Object) -> dict[SourceKey, float]:
    """Values [rad; prismatic joints m] of joints and motors by (uid, bone, axis): filtered values of live
    movers, else shown values. Unknown values are left out.
    """
    return of_movers(
        rig, {mover.settings.uid: session(*mover).values() for mover in movers_of(rig) if mover.is_live}
    )


def of_movers(
    rig: bpy.types.Object,
    moved: Mapping[str, Mapping[JointKey, Value]],
    movers: Sequence[Mover] | None = None,
    before: Callable[[], Mapping[SourceKey, float]] = dict,
) -> dict[SourceKey, Value]:
    """Values [rad; prismatic joints m] of all joints and motors of an object, by (uid, bone, axis).

    Args:
        rig: The object.
        moved: For each live mover, by the uid of its settings, its values by (bone, axis); empty if it has no
            solution yet.
        movers: The object's movers, if the caller has them; None: they are looked up.
        before: Returns the known values of the previous frame; called only if a pose does not determine the
            values alone.
    """
    followed = moved.get(rig.limber.retarget.uid, {})
    known: dict[SourceKey, Value] = {}
    for mover in movers_of(rig) if movers is None else movers:
        uid = mover.settings.uid
        values = moved.get(uid)
        if values is None:
            values = mover.posed(partial(_of_mover, uid, before)) | {
                key: value for key, value in followed.items() if key in mover.joint_keys
            }
        known.update(((uid, *key), value) for key, value in (values or mover.unsolved).items())
    return known


def _of_mover(uid: str, values: Callable[[], Mapping[SourceKey, float]]) -> dict[JointKey, float]:
    """Values of the joints of the mover with this uid, by (bone, axis), taken from `values`."""
    return {(bone, axis): value for (owner, bone, axis), value in values().items() if owner == uid}


def constrained_bones(movers: Iterable[Mover], sources: tuple[Source, ...]) -> list[str]:
    """Names of the bones of these sources that constraints may move, for an object's movers that are not
    live.
    """
    posed = (mover for mover in movers if not mover.is_live)
    return [bone for mover in posed for bone in mover.constrained_bones() if _is_source(mover, bone, sources)]


def deviations(rig: bpy.types.Object, sources: tuple[Source, ...]) -> list[Deviation]:
    """Deviations of the poses that constraints give bones from those that the bones' joints can represent,
    for the bones of these sources that no live mover solves.
    """
    movers = list(movers_of(rig))
    posed = [(mover, deviation) for mover in movers if not mover.is_live for deviation in mover.deviations()]
    solved = {bone for mover in movers if posed and mover.is_live for bone in mover.shown_bones}
    return [
        deviation
        for mover, deviation in posed
        if deviation.bone not in solved and _is_source(mover, deviation.bone, sources)
    ]


def _is_source(mover: Mover, bone: str, sources: tuple[Source, ...]) -> bool:
    """Whether a joint of a mover's bone is among the sources."""
    return any(source.chain == mover.settings.uid and source.bone == bone for source in sources)


def _motion(mover: Mover, unit: float) -> Mapping[JointKey, Value]:
    """Values of a live mover's joints, with their velocities and accelerations if it moves and they are
    known: per `unit` [s], or per frame if `unit` is 0.
    """
    mover_session = session(*mover)
    values, step = mover_session.values(), unit or mover_session.next_step
    if not mover.can_move:
        return values
    return values | {
        key: Kinematic(state.position, step * state.velocity, step**2 * state.acceleration)
        for key, state in mover_session.motion().items()
        if state.position == values.get(key)
    }


def positions(values: list[Value]) -> list[float]:
    """Position of each value, in its own unit, without its velocity and acceleration."""
    return [value.position if isinstance(value, Kinematic) else value for value in values]


def value_of(auxiliary: bpy.types.PropertyGroup) -> float | None:
    """Current value of an animatable property; None if it does not exist or is no finite number."""
    if auxiliary.owner is None or not auxiliary.path:
        return None
    try:
        property_value = auxiliary.owner.path_resolve(auxiliary.path)
        number = float(property_value)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return number if isfinite(number) else None


def property_values(rig: bpy.types.Object, sources: tuple[Source, ...]) -> tuple[float | None, ...]:
    """Current values of the sources that are animatable properties; None for a property without a value
    (`value_of`).
    """
    values = rig.limber.device.auxiliaries if any(source.auxiliary for source in sources) else {}
    auxiliaries = [values.get(source.auxiliary) for source in sources if source.auxiliary]
    return tuple(None if auxiliary is None else value_of(auxiliary) for auxiliary in auxiliaries)


def set_up(device: bpy.types.PropertyGroup, auxiliary: bpy.types.PropertyGroup, number: float) -> None:
    """Sets up a new auxiliary value: its name from its property; its range from the property's soft limits
    or, if they are unknown or wider than `MOST_RANGE`, from 0 to 1, extended to the current value `number`;
    rates from the range; and the usual servo positions of the device's protocol at both ends.
    """
    owner, path = auxiliary.owner, auxiliary.path
    auxiliary.name = free_name(_name_of(owner, path), {other.name for other in device.auxiliaries})
    low, high = _soft_range(owner, path)
    if not (isfinite(low) and isfinite(high) and low < high <= low + MOST_RANGE):
        low, high = min(0.0, number), max(1.0, number)
    auxiliary.low, auxiliary.high = low, high
    span = high - low
    auxiliary.velocity, auxiliary.acceleration, auxiliary.jerk = (rate * span for rate in RATES)
    _, _, auxiliary.at_low, auxiliary.at_high = usual_servo(device.protocol)


def _name_of(owner: bpy.types.ID, path: str) -> str:
    """Readable name of a property: its key in quotes, or the name of the property with the name of its
    owner.
    """
    end = max(path.rfind(f"{quote}]") for quote in QUOTES)
    begin = max(path.rfind(f"[{quote}", 0, max(end, 0)) for quote in QUOTES)
    return (
        path[begin + 2 : end]
        if 0 <= begin < end - 2
        else f"{owner.name} {path.rpartition('.')[2].replace('_', ' ')}"
    )


def _soft_range(owner: bpy.types.ID, path: str) -> tuple[float, float]:
    """(lower, upper) soft limit of a property, very large if it has none; NaN if the property is unknown."""
    head, _, last = re.sub(r"\[\d+\]$", "", path).rpartition(".")
    try:
        holder = owner.path_resolve(head) if head else owner
        rna_property = holder.bl_rna.properties[last]
        if rna_property.type == "BOOLEAN":
            return 0.0, 1.0
        # shape keys have the range of their sliders
        low, high = (
            getattr(holder, "slider_min", rna_property.soft_min),
            getattr(holder, "slider_max", rna_property.soft_max),
        )
        return float(low), float(high)
    except (ValueError, KeyError, AttributeError, TypeError):
        return nan, nan


def newest(rig: bpy.types.Object, sources: tuple[Source, ...], before: list[float]) -> list[float]:
    """Current value of each source; the value in `before` if it is not known (the source was removed or
    renamed, or it is live without a solution).
    """
    return positions(_current(rig, sources, before, list(movers_of(rig)), dict, 0.0))


def with_rates(
    rig: bpy.types.Object,
    sources: tuple[Source, ...],
    before: list[float],
    movers: Sequence[Mover] | None = None,
    unit: float = 0.0,
) -> list[Value]:
    """Current value of each source with its velocity and acceleration, if live motion provides them, per
    `unit` [s], or per frame if `unit` is 0. Other arguments are as for `newest` and `of_movers`; `before`
    has the values of the previous frame.
    """
    movers = list(movers_of(rig)) if movers is None else movers
    return _current(
        rig,
        sources,
        before,
        movers,
        lambda: {source.key: value for source, value in zip(sources, before, strict=True)},
        unit,
    )


def _current(
    rig: bpy.types.Object,
    sources: tuple[Source, ...],
    otherwise: list[float],
    movers: Sequence[Mover],
    before: Callable[[], Mapping[SourceKey, float]],
    unit: float,
) -> list[Value]:
    """As `with_rates`, with `otherwise` instead of unknown values."""
    known = of_movers(
        rig, {mover.settings.uid: _motion(mover, unit) for mover in movers if mover.is_live}, movers, before
    )
    values = rig.limber.device.auxiliaries
    current: list[Value] = []
    for source, old in zip(sources, otherwise, strict=True):
        if source.auxiliary:
            auxiliary = values.get(source.auxiliary)
            number = value_of(auxiliary) if auxiliary is not None else None
        else:
            number = known.get(source.key)
        current.append(old if number is None else number)
    return current


def mover_of_source(rig: bpy.types.Object, source: Source) -> Mover | None:
    """The mover whose joint or motor a source follows; None for auxiliary values, or if the mover was
    removed.
    """
    return next((mover for mover in movers_of(rig) if mover.settings.uid == source.chain), None)


def keys_of(
    rig: bpy.types.Object,
    known: Mapping[SourceKey, float],
    before: Mapping[Channel, float] = MappingProxyType({}),
) -> dict[Channel, float]:
    """Channels that store joints and motors, with the values to key for their values by (uid, bone, axis);
    `before`: values of channels in the previous frame.
    """
    keys: dict[Channel, float] = {}
    for mover in movers_of(rig):
        uid = mover.settings.uid
        keys |= mover.keys_of(
            {key: known[uid, *key] for key in mover.joint_keys if (uid, *key) in known}, before
        )
    return keys


def in_posture(
    rig: bpy.types.Object, action: bpy.types.Action, sources: tuple[Source, ...], otherwise: list[float]
) -> list[float]:
    """Value of each source in a stored posture; the value in `otherwise` for sources that the posture does
    not contain.

    Raises:
        RigError: the posture has no value of any source, or a chain cannot be read.
    """
    known = {
        (mover.settings.uid, *key): value
        for mover in movers_of(rig)
        for key, value in mover.in_posture(action).items()
    }
    if not known.keys() & {source.key for source in sources}:
        raise RigError(
            f"Posture '{action.name}' contains none of the robot's joints: press Store Park Pose, or choose"
            " one that was stored for its chains"
        )
    return [known.get(source.key, value) for source, value in zip(sources, otherwise, strict=True)]


def store_posture(rig: bpy.types.Object, sources: tuple[Source, ...], name: str) -> bpy.types.Action:
    """Makes an action `name` that stores the shown values of the joints and motors in `sources`."""
    known, action = shown(rig), bpy.data.actions.new(name)
    curves, motors = actions.writable_fcurves(action, rig), {}
    followed = {source.key: known[source.key] for source in sources if source.key in known}
    for channel, value in keys_of(rig, followed).items():
        actions.put_keys(curves, channel.path, channel.index, channel.group, [postures.FRAME], [value])
    for source in sources:
        mover = mover_of_source(rig, source)
        channel = mover.channel(source.key[1:]) if mover is not None else None
        if source.key in known and channel is not None and channel.group == MOTORS:
            motors[channel.path] = source.key[1:]
    postures.store_motor_joints(action, motors)
    return action


def pose(rig: bpy.types.Object, sources: tuple[Source, ...], values: Sequence[float | None]) -> bool:
    """Poses joints and motors, and sets animatable properties, to these values; None leaves a value
    unchanged. Returns whether anything changed.
    """
    pairs = [(source, value) for source, value in zip(sources, values, strict=False) if value is not None]
    known, changed = {source.key: value for source, value in pairs}, False
    for mover in movers_of(rig):
        uid = mover.settings.uid
        changed |= mover.pose({key: known[uid, *key] for key in mover.joint_keys if (uid, *key) in known})
    for source, value in pairs:
        changed |= bool(source.auxiliary) and _set_value(rig, source.auxiliary, value)
    return changed


def _set_value(rig: bpy.types.Object, name: str, value: float) -> bool:
    """Sets the property that an auxiliary value follows; returns whether that changed it."""
    auxiliary = rig.limber.device.auxiliaries.get(name)
    before = value_of(auxiliary) if auxiliary is not None else None
    if before is None or abs(before - value) < 1e-6:
        return False
    write(auxiliary.owner, auxiliary.path, value)
    return True


def write(owner: bpy.types.ID, path: str, value: float) -> None:
    """Sets a property of a data-block, given by its data path. The number is rounded for an integer property,
    but not for a custom property or an element of an array.
    """
    head, _, last = path.rpartition(".")
    if path.endswith("]"):
        head, _, key = path.rpartition("[")
        holder = owner.path_resolve(head) if head else owner
        index_text = key[:-1]
        holder[index_text.strip("\"'") if index_text[:1] in "\"'" else int(index_text)] = value
        return
    holder = owner.path_resolve(head) if head else owner
    kind = holder.bl_rna.properties[last].type
    setattr(holder, last, {"BOOLEAN": bool, "INT": round}.get(kind, float)(value))
