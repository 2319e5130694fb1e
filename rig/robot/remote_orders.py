"""Effects of remote commands on an armature or a mechanism, on the rehearsed behaviour, and on the scene's
playback. The addresses are in docs/remote.md.
"""

import math
from collections.abc import Callable, Iterable, Sequence

import bpy
from mathutils import Quaternion, Vector

from ...character.chain.inputs import ChainInputs
from ...character.seeing import SightingError, sighting_of
from ...files.sound_player import SoundError
from ...inputs.order_inbox import ROOT
from ...inputs.words import Order, begun_with, named, no_clip, spellings
from ..behaviour.choices import event_names
from ..blender.errors import RigError, capitalised
from ..blender.transforms import move_to, rotate_to
from ..chains import kept_posture
from ..live import persons, rehearsal
from ..live.live import is_playing, session
from ..live.mover import Mover
from ..live.movers import movers_of
from ..scene import dependencies
from ..scene.character_name import character_name
from ..scene.goal import ends_of, followed_target, no_target, watched, why_not_movable
from .values import value_of, write

VELOCITY = "velocity"
AXES = "xyz"
WITHOUT_LENGTH = f"'{ROOT}rotation/{{}}' has a quaternion without length: send w x y z of length 1"
SHORTEST = 0.1  # length below which a received quaternion is not an orientation


def _move_target(rig: bpy.types.Object, order: Order) -> None:
    if order.text:
        _watch(rig, _chain(rig, order.names), order.text)
    else:
        move_to(target_of(rig, order.names), Vector(order.numbers))


def _look(rig: bpy.types.Object, order: Order) -> None:
    """Makes all chains look at a target of their list, or moves their targets to a position."""
    for chain in rig.limber.chains:
        if order.name:
            _watch(rig, chain, order.name)
        else:
            move_to(target_of(rig, chain.name), Vector(order.numbers))


def _watch(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, name: str) -> None:
    """Makes a chain's own end follow the target with this name in its list."""
    numbers = [k for k in range(1 + len(chain.targets)) if watched(chain, k) is not None]
    chain.watch = _named(
        numbers, name, f"Chain '{chain.name}' has no target", lambda k: watched(chain, k).name
    )
    if (directing := rehearsal.directing(rig, chain)) is not None:
        directing[0].set_by_hand(directing[1], target=watched(chain, chain.watch).name)


def _rotate_target(rig: bpy.types.Object, order: Order) -> None:
    orientation = Quaternion(order.numbers)
    if orientation.magnitude < SHORTEST:
        raise RigError(WITHOUT_LENGTH.format(order.names))
    rotate_to(target_of(rig, order.names), orientation.normalized())


def _move_along_axis(rig: bpy.types.Object, order: Order) -> None:
    target_name, _, axis = order.names.rpartition("/")
    if axis not in AXES or not axis:
        raise RigError(f"'{ROOT}axis/{order.names}' ends with no axis: end it with /x, /y or /z")
    target = target_of(rig, target_name)
    position = target.matrix_world.translation.copy()
    position[AXES.index(axis)] = order.numbers[0]
    move_to(target, position)


def _ignore_velocity(rig: bpy.types.Object, order: Order) -> None:
    """Does nothing: a velocity is used with the numbers that it accompanies."""


def _set_amount(rig: bpy.types.Object, order: Order) -> None:
    """Sets a chain's influence or share; if a rehearsed behaviour directs the chain, until its next state."""
    movers = _movers_with(rig, order.word)
    mover = _named(movers, order.names, f"'{rig.name}' has no chain", lambda mover: mover.given_name)
    setattr(mover.settings, order.word, order.numbers[0])
    if (directing := rehearsal.directing(rig, mover.settings)) is not None:
        directing[0].set_by_hand(directing[1], **{order.word: getattr(mover.settings, order.word)})


def _chain(rig: bpy.types.Object, name: str) -> bpy.types.PropertyGroup:
    return _named(rig.limber.chains, name, f"'{rig.name}' has no chain", lambda chain: chain.name)


def _set_weight(rig: bpy.types.Object, order: Order) -> None:
    settings, posture = _mover_and_posture(rig, order.names)
    posture.weight = order.numbers[0]
    _weigh_by_hand(rig, settings, posture, posture.weight)


def _keep_posture(rig: bpy.types.Object, order: Order) -> None:
    """Makes a mover keep a stored posture, with its transition."""
    settings, posture = _mover_and_posture(rig, f"{order.names}/{order.text}" if order.text else order.names)
    kept_posture.choose(settings, list(settings.postures).index(posture))
    settings.base = "POSTURE"
    _weigh_by_hand(rig, settings, posture, 1.0, is_whole=True)


def _weigh_by_hand(
    rig: bpy.types.Object,
    settings: bpy.types.PropertyGroup,
    posture: bpy.types.PropertyGroup,
    weight: float,
    is_whole: bool = False,
) -> None:
    """Gives a posture's weight precedence over that of the behaviour's state, if one is rehearsed.
    `is_whole`: all other postures get weight 0.
    """
    if (directing := rehearsal.directing(rig, settings)) is not None:
        performer, chain = directing
        name = kept_posture.names(settings)[list(settings.postures).index(posture)]
        performer.weigh_by_hand(chain, name, weight, is_whole)


def _mover_and_posture(
    rig: bpy.types.Object, names: str
) -> tuple[bpy.types.PropertyGroup, bpy.types.PropertyGroup]:
    """Settings of the mover, and the stored posture, that are named in an address."""
    mover, posture = _mover_and_rest(rig, _movers_with(rig, "postures"), names)
    lacks, stored = f"{mover.label} has no posture", stored_postures(mover.settings)
    return mover.settings, stored[_named(stored, posture, lacks, str)]


def _set_value(rig: bpy.types.Object, order: Order) -> None:
    """Sets the property that a value of the robot follows."""
    values = rig.limber.device.auxiliaries
    value = _named(
        values, order.name, f"The robot of '{rig.name}' has no value", lambda auxiliary: auxiliary.name
    )
    if value_of(value) is None:
        raise RigError(f"Value '{value.name}' has no property that it follows: choose one in the Robot panel")
    write(value.owner, value.path, order.numbers[0])


def _event(rig: bpy.types.Object, order: Order) -> None:
    scene = _rehearsed(rig)
    events = event_names(scene.limber_behaviour)
    known = named(order.name, events)
    if known is None:
        raise RigError(f"there is no event '{order.name}': there is {', '.join(map(repr, events)) or 'none'}")
    rehearsal.send(scene, known)


def _enter_state(rig: bpy.types.Object, order: Order) -> None:
    scene = _rehearsed(rig)
    states = [state.name for state in scene.limber_behaviour.states]
    rehearsal.enter(scene, named(order.name, states) or order.name)


def _rehearsed(rig: bpy.types.Object) -> bpy.types.Scene:
    """The scene whose behaviour is being rehearsed; raises RigError if there is none."""
    scene = bpy.context.scene
    if not rehearsal.is_on(scene):
        raise RigError(
            f"The behaviour of scene '{scene.name}' is not rehearsed: press Rehearse under Behaviour"
        )
    return scene


def _see(rig: bpy.types.Object, order: Order) -> None:
    """Records a tracker's sighting of a person for its camera, an object of the scene."""
    try:
        sighting = sighting_of(order.numbers)
    except SightingError as error:
        raise RigError(f"'{ROOT}{order.path}': {error}") from error
    persons.see(bpy.context.scene, order.name, sighting)


def _say(rig: bpy.types.Object, order: Order) -> None:
    """Plays a sound file from the .blend's folder, or records the beginning or end of speech that another
    program plays.
    """
    _rehearsed(rig)
    if not order.name:
        rehearsal.note_speech(order.numbers[0] != 0.0)
        return
    try:
        rehearsal.say(order.name)
    except SoundError as error:
        raise RigError(capitalised(str(error))) from error


def _play(rig: bpy.types.Object, order: Order) -> None:
    """Plays the scene, if it does not play yet; raises RigError for a name other than that of its only
    clip.
    """
    if why := no_clip(order.name, character_name(bpy.context)):
        raise RigError(why)
    if not is_playing():
        bpy.ops.screen.animation_play()


def _pause(rig: bpy.types.Object, order: Order) -> None:
    if is_playing():
        bpy.ops.screen.animation_cancel(restore_frame=False)


def _seek(rig: bpy.types.Object, order: Order) -> None:
    """Sets the scene's frame to a time [s] after its first frame, within its frame range."""
    scene = bpy.context.scene
    frame = scene.frame_start + order.numbers[0] * scene.render.fps / scene.render.fps_base
    scene.frame_set(math.floor(min(max(frame, scene.frame_start), scene.frame_end)))


def target_of(rig: bpy.types.Object, names: str) -> bpy.types.Object:
    """The target object that an address names: the target of a chain, or of one of a mover's goals.

    Raises:
        RigError: there is none, or it cannot be moved.
    """
    mover, name = _mover_and_rest(rig, _movers_with(rig, "target", "goals"), names)
    if name or not hasattr(mover.settings, "target"):
        goal = _named(goals_of(mover.settings), name, f"{mover.label} has no goal", lambda goal: goal.name)
        target, lacks = (
            dependencies.target_of(goal),
            f"Goal '{goal.name}' of {mover.in_sentence} has no target: choose an object to follow",
        )
    else:
        target, lacks = followed_target(mover.settings), capitalised(no_target(ends_of(mover.settings)[0]))
    if target is None:
        raise RigError(lacks)
    if why := why_not_movable(target):
        raise RigError(why)
    return target.obj


def target_distances(rig: bpy.types.Object, address: str) -> list[float]:
    """Distance [m] from a chain's base to its own end's target at the last tick, if the address (below
    /limber/) moves this target; else empty.
    """
    kind, _, names = address.partition("/")
    try:
        mover, goal = _mover_and_rest(rig, _movers_with(rig, "target"), names)
    except RigError:
        return []
    ticked = session(*mover).record.ticked
    inputs = ticked[1] if ticked is not None else None
    is_own = kind == "target" and not goal and isinstance(inputs, ChainInputs)
    return [inputs.target_distance] if is_own else []


def goals_of(settings: bpy.types.PropertyGroup) -> list:
    """Goals that addresses can name: all goals of a mechanism, or the additional goals of a chain."""
    return [*getattr(settings, "goals", ()), *getattr(settings, "ends", ())]


def stored_postures(settings: bpy.types.PropertyGroup) -> dict[str, bpy.types.PropertyGroup]:
    """Stored postures of a mover whose pose assets exist, by their names."""
    if not hasattr(settings, "postures"):
        return {}
    named_postures = zip(kept_posture.names(settings), settings.postures, strict=True)
    return {name: posture for name, posture in named_postures if posture.action is not None}


def cameras(settings: bpy.types.PropertyGroup) -> list[str]:
    """Names of the cameras among the targets of a chain. A chain that looks at a camera looks at the person
    whom its tracker sees.
    """
    numbers = range(1 + len(settings.targets)) if hasattr(settings, "targets") else ()
    targets = [target.obj for number in numbers if (target := watched(settings, number)) is not None]
    return [target.name for target in targets if target.type == "CAMERA"]


def _movers_with(rig: bpy.types.Object, *settings: str) -> list[Mover]:
    """The movers of an object whose settings have one of these properties."""
    return [mover for mover in movers_of(rig) if any(hasattr(mover.settings, name) for name in settings)]


def _mover_and_rest(rig: bpy.types.Object, movers: Sequence[Mover], names: str) -> tuple[Mover, str]:
    """The mover with whose name an address begins, and the rest of the address; raises RigError if there is
    none. Names may contain slashes.
    """
    by_name = {mover.given_name: mover for mover in reversed(movers)}
    begun = begun_with(names, by_name)
    if begun is None:
        raise RigError(
            _lacking(
                f"'{rig.name}' has no chain or mechanism",
                names.partition("/")[0],
                [mover.given_name for mover in movers],
            )
        )
    return by_name[begun[0]], begun[1]


def _named(items: Iterable[object], name_in_order: str, lacks: str, name: Callable[[object], str]) -> object:
    """The item whose name is `name_in_order`, in any of its `spellings`; raises RigError, whose message
    begins with `lacks`, if there is none. `name`: returns an item's name.
    """
    for item in items:
        if name_in_order in spellings(name(item)):
            return item
    raise RigError(_lacking(lacks, name_in_order, map(name, items)))


def _lacking(lacks: str, name_in_order: str, known: Iterable[str]) -> str:
    return f"{lacks} '{name_in_order}': it has {', '.join(map(repr, known)) or 'none'}"


# effect of each command here; `inputs.words` has their arguments
ORDERS: dict[str, Callable] = {
    "target": _move_target,
    "look": _look,
    "rotation": _rotate_target,
    "axis": _move_along_axis,
    VELOCITY: _ignore_velocity,
    "influence": _set_amount,
    "share": _set_amount,
    "posture": _keep_posture,
    "weight": _set_weight,
    "value": _set_value,
    "event": _event,
    "state": _enter_state,
    "seen": _see,
    "say": _say,
    "play": _play,
    "pause": _pause,
    "seek": _seek,
}
