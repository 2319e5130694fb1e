"""Remote control of an armature or a mechanism by OSC over UDP: targets, influence, weights, stopping its
robot, and arming it if that is allowed. The addresses are in docs/remote.md.

Commands make changes that a user could make by hand, without undo steps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import nan
from time import monotonic

import bpy
from mathutils import Quaternion

from ...character.remote_signals import RemoteSignals
from ...hardware.safety import State
from ...inputs.errors import InputError
from ...inputs.inbox import BUDGET, NAME, opened, refuse_others
from ...inputs.order_inbox import ROOT, STOP, OrderInbox
from ...inputs.packets import Message
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

ARM = "arm"
Arguments = tuple[float | str, ...]
EVERY = 1 / 60  # [s] time between two reads of the socket: one frame of a display
NAMED = "\n"  # separator between an address and names among its arguments
# largest number of pending addresses, so that a sender that keeps inventing addresses cannot fill the memory
MOST = 1024
# [s] time without a command to arm after which the next such command counts as a new press; programs repeat
# the command of a held button many times a second
SILENT_FOR = 1.0
BETWEEN = 0.1  # [s] longest silence that one read proves, since packets may be lost while Blender is busy
PARSING_SHARE = 0.6  # share of a read's time for parsing; the rest is for executing


class RemoteOrders(OrderInbox):
    """Inbox of one object's remote control: the newest command for each address that is not executed yet."""

    def __init__(self, host: str, port: int, clock: Callable[[], float] | None = None) -> None:
        super().__init__(host, port, clock)
        self._is_addressed = False  # whether any message for Limber has arrived yet
        self.newest: dict[str, Arguments] = {}  # arguments by address without `ROOT`
        self.counts: Counter[str] = Counter()  # number of messages by address
        # by address: time [s] of the newest message, by the sender's clock; NaN if not given
        self.times: dict[str, float] = {}
        self.arm_pressed = False  # whether the newest command to arm is from a new press
        # [s] time since the last command to arm; at first long enough for the next one to be a new press
        self._arm_silence = SILENT_FOR
        self._arm_released = False  # whether the last command to arm was a release (0)
        self._arm_came = False  # whether a command to arm arrived in this read
        self._looked_at = monotonic()

    def look(self, budget: float = BUDGET) -> None:
        self._arm_came = False
        super().look(budget)
        time = monotonic()
        silence = min(time - self._looked_at, BETWEEN)
        self._looked_at = time
        self._arm_silence = self._arm_silence + silence if self.is_read and not self._arm_came else 0.0

    def alarm(self) -> None:
        links.press_stops()

    def take_order(self, message: Message) -> None:
        if not message.address.startswith(ROOT):
            if not self._is_addressed:  # no warning if the sender also sends messages for other programs
                self.problem = (
                    f"'{message.address[:NAME]}' is not for Limber: addresses begin with {ROOT}, see the list"
                    " below"
                )
            return
        self._is_addressed = True
        address = message.address.removeprefix(ROOT)
        if address == ARM:
            self._note_arm(is_pressed(message.arguments))
        # arguments that select the subject of a command, such as names, are treated like parts of the address
        address = NAMED.join((address, *self.key(message)[1:]))
        if address in self.newest or len(self.newest) < MOST:
            self.newest[address] = message.arguments
            self.counts[address] += message.repeats
            self.times[address] = message.time

    def void_arm(self) -> None:
        """Drops a command to arm that arrived before or together with a stop. Its button, whose press may
        have been missed, counts as held: only a press after its release arms.
        """
        self.newest.pop(ARM, None)
        self.arm_pressed = self._arm_released = False
        self._arm_silence = 0.0

    def _note_arm(self, is_on: bool) -> None:
        self.arm_pressed = is_on and (
            self.arm_pressed or self._arm_released or self._arm_silence >= SILENT_FOR
        )
        self._arm_released = not is_on
        self._arm_came, self._arm_silence = True, 0.0


@dataclass
class _Ear:
    rig_name: str
    orders: RemoteOrders
    signals: RemoteSignals = field(default_factory=RemoteSignals)
    velocities: dict[str, list[float]] = field(
        default_factory=dict
    )  # velocities of targets, from messages since the last read [m/s, rad/s]


_ears: dict[int, _Ear] = {}  # objects that listen, by the armature object's session_uid


def listen(rig: bpy.types.Object) -> None:
    """Starts to listen for commands to an armature.

    Raises:
        InputError: the address cannot be bound, or other computers are heard on it and Blender may not go
            online.
    """
    remote = rig.limber.remote
    refuse_others(remote.host, bpy.app.online_access)
    end(rig)
    _ears[rig.session_uid] = _Ear(rig.name, opened(RemoteOrders, remote.host, remote.port))
    runtime.signals["remote"] = _SentSignals()


def end(rig: bpy.types.Object) -> None:
    """Stops listening for an armature."""
    ear = _ears.pop(rig.session_uid, None)
    if ear is not None:
        ear.orders.close()


def end_all() -> None:
    for ear in _ears.values():
        ear.orders.close()
    _ears.clear()


def heard(rig: bpy.types.Object) -> RemoteOrders | None:
    """Inbox of an armature's remote control; None if it does not listen."""
    ear = _ears.get(rig.session_uid)
    return ear.orders if ear else None


def is_listening() -> bool:
    return bool(_ears)


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
    """Executes the received commands, for each listening object in at most `budget` [s].

    Returns:
        Whether something visible has changed: a command was executed, or the error message differs.
    """
    done = False
    for uid, ear in list(_ears.items()):
        orders = ear.orders
        begun, before = orders.clock(), orders.problem
        orders.look(PARSING_SHARE * budget)
        if orders.is_alarmed:
            done = True
            links.stop_all()
            orders.void_arm()
        rig = _find(uid, ear)
        if rig is None:
            _ears.pop(uid).orders.close()
            continue
        orders.answer(limber_version(), rehearsal.state(bpy.context.scene))
        done |= _execute_newest(rig, ear, begun + budget) or orders.problem != before
    return done


class _SentSignals:
    """Values from other programs, as signals of live motion."""

    def is_active(self, scene: bpy.types.Scene) -> bool:
        return any(ear.signals.is_active for _, ear in _ears_in(scene))

    def advance(self, scene: bpy.types.Scene, dt: float) -> bool:
        changed = False
        distances: list[float] = []
        for rig, ear in _ears_in(scene):
            for address, numbers in ear.signals.advance(dt):
                changed |= _followed(rig, ear, address, numbers)
            for address in ear.signals.lasting():
                distances += target_distances(rig, address)
        persons.note_targets(scene, distances)
        return changed


def _ears_in(scene: bpy.types.Scene) -> list[tuple]:
    """The objects of a scene that listen, each with its receiver."""
    listening = [(_find(uid, ear), ear) for uid, ear in _ears.items()]
    return [(rig, ear) for rig, ear in listening if rig is not None and scene.objects.get(rig.name) == rig]


@granted
def _followed(rig: bpy.types.Object, ear: _Ear, address: str, numbers: Sequence[float]) -> bool:
    """Sets the property that an address names; returns whether that is possible. If it is not, its signal
    ends.
    """
    kind, _, names = address.partition("/")
    try:
        ORDERS[kind](rig, Order(kind, names, tuple(numbers)))
    except RigError as error:
        ear.orders.problem = str(error)
        ear.signals.end(address)
        return False
    rig.update_tag()
    return True


def _execute_newest(rig: bpy.types.Object, ear: _Ear, until: float) -> bool:
    """Executes pending commands until the time `until`; returns whether there were any."""
    orders = ear.orders
    if not orders.newest:
        return False
    for address in sorted(orders.newest, key=lambda address: not address.startswith(f"{VELOCITY}/")):
        try:
            _execute(
                rig,
                ear,
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
        ear.velocities.clear()
    rig.update_tag()
    return True


def _find(uid: int, ear: _Ear) -> bpy.types.Object | None:
    """The armature, found also after undo or renaming; None if it was deleted."""
    rig = find(ear.rig_name, uid)
    ear.rig_name = rig.name if rig else ""
    return rig


@granted
def _execute(
    rig: bpy.types.Object, ear: _Ear, address: str, arguments: Arguments, messages: int, time: float
) -> None:
    orders = ear.orders
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
        if is_pressed(numbers):
            _arm(rig, is_new)
    elif order.is_released:
        return
    elif order.word not in ORDERS:
        raise RigError(f"'{ROOT}{address}' is an order to a character that plays without Blender")
    elif order.word == VELOCITY:
        target_of(rig, order.names)
        ear.velocities[order.names] = [*numbers]
    elif order.word not in STREAMED or order.text:
        ORDERS[order.word](rig, order)
    # only ticks read signals: without ticks the value is written at once
    elif address in ear.signals and live.is_ticking(rig):
        _receive(ear, address, numbers, messages, time)
    else:
        ORDERS[order.word](rig, order)
        ear.signals.begin(address, numbers, time)


def _receive(ear: _Ear, address: str, numbers: Sequence[float], messages: int, time: float) -> None:
    """Passes received numbers on to a signal, with their velocities and time if the sender gives them."""
    kind, _, names = address.partition("/")
    velocity = ear.velocities.get(names)
    rate = None
    if kind == "rotation":
        before = Quaternion(ear.signals.value(address))
        turned = Quaternion(numbers)
        if turned.magnitude < SHORTEST:
            raise RigError(WITHOUT_LENGTH.format(names))
        turned.normalize()
        numbers = turned if turned.dot(before) >= 0.0 else -turned
        if velocity and len(velocity) > 3:
            rate = 0.5 * (Quaternion((0.0, *velocity[3:])) @ Quaternion(numbers))
    elif kind == "target" and velocity:
        rate = velocity[:3]
    ear.signals.receive(address, numbers, messages, rate, time)


def is_pressed(arguments: Sequence[float | str]) -> bool:
    """Whether a command's arguments mean a pressed button: there are none, or the first is not 0."""
    return not arguments or arguments[0] != 0.0


def _arm(rig: bpy.types.Object, is_new: bool) -> None:
    """Arms the robot if `is_new`. A command that another program repeats, as for a held button, does not arm
    it again.
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
