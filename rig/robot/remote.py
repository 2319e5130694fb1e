"""Remote control of an armature or a mechanism by OSC over UDP: the commands of `remote_orders`, stopping all
robots, and, if that is allowed, arming the robot of this armature or mechanism. The addresses are in
docs/remote.md.

Commands make changes that a user could make by hand, without undo steps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import nan

import bpy
from mathutils import Quaternion

from ...character.remote_signals import RemoteSignals
from ...hardware.robot_session import TO_ROBOTS
from ...hardware.safety import State
from ...inputs.errors import InputError
from ...inputs.inbox import BUDGET, opened, refuse_others
from ...inputs.newest_orders import ARM, NAMED, Arguments, RemoteOrders
from ...inputs.order_inbox import ROOT, STOP
from ...inputs.words import STREAMED, Order, order_of
from ..blender.errors import RigError
from ..blender.limber_version import limber_version
from ..blender.presence import find
from ..blender.write_access import granted
from ..live import live, persons, rehearsal, runtime
from ..live.mover import Mover
from . import links
from .remote_orders import (
    ORDERS,
    SHORTEST,
    VELOCITY,
    WITHOUT_LENGTH,
    cameras,
    goals_of,
    stored_postures,
    target_distances,
    target_of,
)

EVERY = 1 / 60  # [s] time between two reads of the socket: one frame of a display
PARSING_SHARE = 0.6  # share of a read's time for parsing; the rest is for executing


@dataclass
class _Receiver:
    """Receiver of commands to one armature or mechanism."""

    rig_name: str
    orders: RemoteOrders
    signals: RemoteSignals = field(default_factory=RemoteSignals)
    # newest velocity of each target since the last read [m/s], with its angular velocity if sent [rad/s]
    velocities: dict[str, list[float]] = field(default_factory=dict)


_receivers: dict[int, _Receiver] = {}  # by the session_uid of the object that listens


def listen(rig: bpy.types.Object) -> None:
    """Starts to listen for commands to an armature or mechanism.

    Raises:
        InputError: the address cannot be bound, or other computers are heard on it and Blender is not allowed
            online access.
    """
    remote = rig.limber.remote
    refuse_others(remote.host, bpy.app.online_access)
    end(rig)
    inbox = partial(RemoteOrders, stop=links.press_stops)
    _receivers[rig.session_uid] = _Receiver(rig.name, opened(inbox, remote.host, remote.port))
    runtime.signals["remote"] = _SentSignals()


def end(rig: bpy.types.Object) -> None:
    """Stops listening for commands to an object."""
    receiver = _receivers.pop(rig.session_uid, None)
    if receiver is not None:
        receiver.orders.close()


def end_all() -> None:
    """Stops all listening."""
    for receiver in _receivers.values():
        receiver.orders.close()
    _receivers.clear()


def heard(rig: bpy.types.Object) -> RemoteOrders | None:
    """Inbox of an object's remote control; None if it does not listen."""
    receiver = _receivers.get(rig.session_uid)
    return receiver.orders if receiver else None


def is_listening() -> bool:
    """Whether any armature or mechanism listens."""
    return bool(_receivers)


def addresses(movers: Iterable[Mover]) -> list[str]:
    """OSC addresses for these movers of an object and for its robot, each with its arguments:
    "/limber/influence/Head v".
    """
    entries = []
    for mover in movers:
        name, settings = mover.given_name, mover.settings
        with_target = [name] if hasattr(settings, "target") else []
        with_target += [f"{name}/{goal.name}" for goal in goals_of(settings)]
        entries += [
            (f"{kind}/{of}", numbers)
            for of in with_target
            for kind, numbers in (("target", "x y z"), ("rotation", "w x y z"))
        ]
        # users can derive the addresses for y and z from the address for x
        entries += [(f"axis/{of}/x", "v") for of in with_target]
        entries += [(f"seen/{camera}", "id age x y distance confidence") for camera in cameras(settings)]
        if hasattr(settings, "influence"):
            entries.append((f"influence/{name}", "v"))
        if hasattr(settings, "share"):
            entries.append((f"share/{name}", "v"))
        entries += [
            (f"{kind}/{name}/{posture}", number)
            for posture in stored_postures(settings)
            for kind, number in (("weight", "v"), ("posture", "1"))
        ]
    return [
        *(f"{ROOT}{address.replace(' ', '_')} {numbers}" for address, numbers in entries),
        STOP,
        f"{ROOT}{ARM}",
    ]


def look(budget: float = BUDGET) -> bool:
    """Executes the received commands, and answers questions, for each listening object in at most `budget`
    [s]; what is left waits for the next call. After a command to stop, all robots are stopped, and commands
    to arm that came with it are dropped. Objects that were deleted listen no more.

    Returns:
        Whether something visible has changed: a command was executed, or the error message differs.
    """
    done = False
    for uid, receiver in list(_receivers.items()):
        orders = receiver.orders
        begun, before = orders.clock(), orders.problem
        orders.look(PARSING_SHARE * budget)
        if orders.is_alarmed:
            done = True
            links.stop_all()
            orders.void_arm()
        rig = _find(uid, receiver)
        if rig is None:
            _receivers.pop(uid).orders.close()
            continue
        orders.answer(limber_version(), rehearsal.state(bpy.context.scene))
        done |= _execute_newest(rig, receiver, begun + budget) or orders.problem != before
    return done


class _SentSignals:
    """Values from other programs, as signals of live motion."""

    def is_active(self, scene: bpy.types.Scene) -> bool:
        return any(receiver.signals.is_active for _, receiver in _receivers_in(scene))

    def advance(self, scene: bpy.types.Scene, dt: float) -> bool:
        changed = False
        distances: list[float] = []
        for rig, receiver in _receivers_in(scene):
            for address, numbers in receiver.signals.advance(dt):
                changed |= _apply(rig, receiver, address, numbers)
            for address in receiver.signals.lasting():
                distances += target_distances(rig, address)
        persons.note_targets(scene, distances)
        return changed


def _receivers_in(scene: bpy.types.Scene) -> list[tuple]:
    """The objects of a scene that listen, each with its receiver."""
    listening = [(_find(uid, receiver), receiver) for uid, receiver in _receivers.items()]
    return [
        (rig, receiver)
        for rig, receiver in listening
        if rig is not None and scene.objects.get(rig.name) == rig
    ]


@granted
def _apply(rig: bpy.types.Object, receiver: _Receiver, address: str, numbers: Sequence[float]) -> bool:
    """Sets what an address names to numbers of its signal; returns whether that is possible. If it is not,
    the signal ends.
    """
    kind, _, names = address.partition("/")
    try:
        ORDERS[kind](rig, Order(kind, names, tuple(numbers)))
    except RigError as error:
        receiver.orders.problem = str(error)
        receiver.signals.end(address)
        return False
    rig.update_tag()
    return True


def _execute_newest(rig: bpy.types.Object, receiver: _Receiver, until: float) -> bool:
    """Executes pending commands, velocities first, until the time `until`; returns whether there were any.
    The reason why the last failed one cannot be executed becomes the `problem` of the receiver's orders.
    """
    orders = receiver.orders
    if not orders.newest:
        return False
    for address in sorted(orders.newest, key=lambda address: not address.startswith(f"{VELOCITY}/")):
        try:
            _execute(
                rig,
                receiver,
                address,
                orders.newest.pop(address),
                orders.counts.pop(address, 1),
                orders.times.pop(address, nan),
            )
        except RigError as error:
            orders.problem = str(error)
        if orders.clock() >= until:
            break
    if not orders.newest:
        receiver.velocities.clear()
    rig.update_tag()
    return True


def _find(uid: int, receiver: _Receiver) -> bpy.types.Object | None:
    """The object that listens, found also after undo or renaming; None if it was deleted."""
    rig = find(receiver.rig_name, uid)
    receiver.rig_name = rig.name if rig else ""
    return rig


@granted
def _execute(
    rig: bpy.types.Object, receiver: _Receiver, address: str, arguments: Arguments, messages: int, time: float
) -> None:
    """Executes the newest of the `messages` commands to an address, received at `time` [s]; NaN: not known.

    Raises:
        RigError: it cannot be executed.
    """
    orders = receiver.orders
    address = address.partition(NAMED)[0]
    try:
        order = order_of(
            address, arguments, f"{ROOT}{address}", "the Remote Control panel lists those that are"
        )
    except InputError as error:
        raise RigError(str(error)) from error
    numbers = order.numbers
    if order.word == ARM and not order.names:
        is_new, orders.arm_pressed = orders.arm_pressed, False
        if not order.is_released:
            _arm(rig, is_new)
    elif order.is_released:
        return
    elif order.word in TO_ROBOTS:
        raise RigError(f"'{ROOT}{address}' is for a person alone: press its button in Blender or on the page")
    elif order.word not in ORDERS:
        raise RigError(f"'{ROOT}{address}' is an order to a character that plays without Blender")
    elif order.word == VELOCITY:
        target_of(rig, order.names)
        receiver.velocities[order.names] = [*numbers]
    elif order.word not in STREAMED or order.text:
        ORDERS[order.word](rig, order)
    # only ticks read signals: without ticks the value is written at once
    elif address in receiver.signals and live.is_ticking(rig):
        _receive(receiver, address, numbers, messages, time)
    else:
        ORDERS[order.word](rig, order)
        receiver.signals.begin(address, numbers, time)


def _receive(receiver: _Receiver, address: str, numbers: Sequence[float], messages: int, time: float) -> None:
    """Passes received numbers on to a signal, with their velocities and time if the sender gives them. Raises
    RigError for a quaternion without length.
    """
    kind, _, names = address.partition("/")
    velocity = receiver.velocities.get(names)
    rate = None
    if kind == "rotation":
        before = Quaternion(receiver.signals.value(address))
        rotation = Quaternion(numbers)
        if rotation.magnitude < SHORTEST:
            raise RigError(WITHOUT_LENGTH.format(names))
        rotation.normalize()
        # two quaternions give the same rotation: the one near the last is used, since signals interpolate
        # numbers
        numbers = rotation if rotation.dot(before) >= 0.0 else -rotation
        if velocity and len(velocity) > 3:
            rate = 0.5 * (Quaternion((0.0, *velocity[3:])) @ Quaternion(numbers))
    elif kind == "target" and velocity:
        rate = velocity[:3]
    receiver.signals.receive(address, numbers, messages, rate, time)


def _arm(rig: bpy.types.Object, is_new: bool) -> None:
    """Arms the robot. Raises RigError if that is not allowed, if the robot is not connected or not disarmed,
    or if the command is not `is_new`: one that another program repeats, as for a held button, does not arm
    it.
    """
    if not rig.limber.remote.allow_arm:
        raise RigError("Another program asks to arm the robot: tick Allow Arming to let it")
    status = links.status(rig)
    if status is None:
        raise RigError("Another program asks to arm the robot, which is not connected: press Connect")
    if status.state is not State.DISARMED:
        raise RigError(f"Another program asks to arm the robot. {status.sentence}")
    if not is_new:
        raise RigError(
            "Another program repeats its order to arm the robot: send 0, or nothing for a second, before the"
            " next"
        )
    links.link(rig).arm()
