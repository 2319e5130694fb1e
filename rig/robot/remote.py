"""Remote control of an armature or a mechanism by OSC over UDP: targets, influence, weights; stopping its robot, and arming it where
that is allowed. docs/remote.md has the addresses.

Changes are those that a user could make by hand, without undo steps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

import bpy
from mathutils import Quaternion, Vector

from ...hardware.safety import State
from ..blender.counting import counted
from ..blender.errors import RigError, capitalised
from ..blender.presence import find
from ..blender.transforms import move_to, rotate_to
from ..blender.write_access import granted
from ..live import live, runtime
from ..live.mover import Mover
from ..live.movers import movers_of
from ..reading.goal import ends_of, followed, no_target
from ..reading.osc.inbox import BUDGET, NAME, Inbox, opened, refuse_others
from ..reading.osc.packets import Message
from . import links
from .remote_signals import Signals

ROOT = "/limber/"
STOP = f"{ROOT}stop"
ARM = "arm"
VELOCITY = "velocity"
AXES = "xyz"
Arguments = tuple[float | str, ...]
EVERY = 1 / 60  # [s] between two looks: one frame of a display
FARTHEST = 1e6  # [m] largest coordinate of a target: much more exceeds single precision
WITHOUT_LENGTH = f"'{ROOT}rotation/{{}}' has a quaternion without length: send w x y z of length 1"
SHORTEST = 0.1  # length of a quaternion below which it is no orientation
MOST = 1024  # largest number of pending addresses, so that a sender of ever new ones cannot fill the memory
SILENT_FOR = 1.0  # [s] without an order to arm after which the next is a new press; programs repeat one that is held many times a second
BETWEEN = 0.1  # [s] of silence that one look can show: what comes while Blender is busy may be dropped
PARSING_SHARE = 0.6  # of a look's time; the rest is for executing


class Orders(Inbox):
    """Inbox of one object's remote control: the newest command for each address that is not executed yet."""

    urgent = STOP.encode()

    def __init__(self, host: str, port: int, clock: Callable[[], float] | None = None) -> None:
        super().__init__(host, port, clock)
        self.stops = False
        self._is_addressed = False  # whether a message for Limber has come
        self.newest: dict[str, Arguments] = {}  # arguments by address without `ROOT`
        self.counts: Counter[str] = Counter()  # messages for each of these addresses
        self.arm_pressed = False  # whether there was a new press to arm, for the newest order to arm
        self._arm_silence = SILENT_FOR  # [s] since the last order to arm; before it listened there was none
        self._arm_released = False  # whether that was 0
        self._arm_came = False  # whether one came at this look
        self._looked_at = monotonic()

    def look(self, budget: float = BUDGET) -> None:
        self._arm_came = False
        super().look(budget)
        now = monotonic()
        silence = min(now - self._looked_at, BETWEEN)
        self._looked_at = now
        self._arm_silence = self._arm_silence + silence if self.is_read and not self._arm_came else 0.0

    def alarm(self) -> None:
        links.press_stops()
        self.stops = True

    def take(self, message: Message) -> None:
        if message.trouble or message.address == STOP:
            return
        if not message.address.startswith(ROOT):
            if not self._is_addressed:  # programs that send other messages as well get no warning
                self.problem = f"'{message.address[:NAME]}' is not for Limber: addresses begin with {ROOT}, see the list below"
            return
        self._is_addressed = True
        address = message.address.removeprefix(ROOT)
        if address == ARM:
            self._note_arm(is_pressed(message.arguments))
        if address in self.newest or len(self.newest) < MOST:
            self.newest[address] = message.arguments
            self.counts[address] += message.count

    def _note_arm(self, is_on: bool) -> None:
        self.arm_pressed = is_on and (self.arm_pressed or self._arm_released or self._arm_silence >= SILENT_FOR)
        self._arm_released = not is_on
        self._arm_came, self._arm_silence = True, 0.0


@dataclass
class _Ear:
    rig_name: str
    orders: Orders
    signals: Signals = field(default_factory=Signals)
    velocities: dict[str, list[float]] = field(default_factory=dict)  # of targets, as sent since the last look [m/s, rad/s]


_ears: dict[int, _Ear] = {}  # by the armature object's session_uid


def listen(rig) -> None:
    """Starts to listen for commands to an armature.

    Raises:
        RigError: the address cannot be bound, or other computers are heard on it and Blender may not go online.
    """
    remote = rig.limber.remote
    refuse_others(remote.host, bpy.app.online_access)
    end(rig)
    _ears[rig.session_uid] = _Ear(rig.name, opened(Orders, remote.host, remote.port))
    runtime.signals["remote"] = _SentSignals()


def end(rig) -> None:
    """Stops listening for an armature."""
    ear = _ears.pop(rig.session_uid, None)
    if ear is not None:
        ear.orders.close()


def end_all() -> None:
    for ear in _ears.values():
        ear.orders.close()
    _ears.clear()


def heard(rig) -> Orders | None:
    """Inbox of an armature's remote control; None: it does not listen."""
    ear = _ears.get(rig.session_uid)
    return ear.orders if ear else None


def is_listening() -> bool:
    return bool(_ears)


def addresses(movers: Iterable[Mover]) -> list[str]:
    """OSC addresses for some movers of an object and for its robot, each with its arguments: "/limber/influence/Head v"."""
    found = []
    for mover in movers:
        name, settings = mover.given_name, mover.settings
        with_target = [name] if hasattr(settings, "target") else []
        with_target += [f"{name}/{goal.name}" for goal in _goals(settings)]
        found += [(f"{kind}/{of}", numbers) for of in with_target for kind, numbers in (("target", "x y z"), ("rotation", "w x y z"))]
        found += [(f"axis/{of}/x", "v") for of in with_target]  # those of y and z are as easily guessed
        if hasattr(settings, "influence"):
            found.append((f"influence/{name}", "v"))
        found += [(f"weight/{name}/{posture.action.name}", "v") for posture in _stored(settings)]
    return [*(f"{ROOT}{address.replace(' ', '_')} {numbers}" for address, numbers in found), STOP, f"{ROOT}{ARM}"]


def look(budget: float = BUDGET) -> bool:
    """Executes the received commands, for each listening object in at most `budget` [s].

    Returns:
        Whether there is something new to see: a command was executed, or what is wrong has changed.
    """
    done = False
    for uid, ear in list(_ears.items()):
        orders = ear.orders
        begun, before = orders.clock(), orders.problem
        orders.look(PARSING_SHARE * budget)
        if orders.stops:
            links.stop_all()
            orders.stops, done = False, True
            orders.arm_pressed = False
            orders.newest.pop(ARM, None)  # an arm that came before the stop, or together with it, does not count
        rig = _find(uid, ear)
        if rig is None:
            _ears.pop(uid).orders.close()
            continue
        done |= _execute_newest(rig, ear, begun + budget) or orders.problem != before
    return done


class _SentSignals:
    """What other programs send, for live motion."""

    def is_active(self, scene) -> bool:
        return any(ear.signals.is_active for _, ear in _ears_in(scene))

    def advance(self, scene, dt: float) -> bool:
        changed = False
        for rig, ear in _ears_in(scene):
            for address, numbers in ear.signals.advance(dt):
                changed |= _followed(rig, ear, address, numbers)
        return changed


def _ears_in(scene) -> list[tuple]:
    """The objects of a scene that listen, with what they hear."""
    listening = [(_find(uid, ear), ear) for uid, ear in _ears.items()]
    return [(rig, ear) for rig, ear in listening if rig is not None and scene.objects.get(rig.name) == rig]


@granted
def _followed(rig, ear: _Ear, address: str, numbers: Sequence[float]) -> bool:
    """Sets what an address names; returns whether that can be done. Where it cannot, its signal ends."""
    kind, _, names = address.partition("/")
    try:
        ORDERS[kind][1](rig, names, numbers)
    except RigError as error:
        ear.orders.problem = str(error)
        ear.signals.end(address)
        return False
    rig.update_tag()
    return True


def _execute_newest(rig, ear: _Ear, until: float) -> bool:
    """Executes pending commands until the time `until`; returns whether there were any."""
    orders = ear.orders
    if not orders.newest:
        return False
    for address in sorted(orders.newest, key=lambda address: not address.startswith(f"{VELOCITY}/")):
        try:
            _execute(rig, ear, address, orders.newest.pop(address), orders.counts.pop(address, 1))
        except RigError as error:
            orders.problem = str(error)
        if orders.clock() >= until:
            break
    if not orders.newest:
        ear.velocities.clear()
    rig.update_tag()
    return True


def _find(uid: int, ear: _Ear):
    """The armature, also after undo or renaming; None where it was deleted."""
    rig = find(ear.rig_name, uid)
    ear.rig_name = rig.name if rig else ""
    return rig


@granted
def _execute(rig, ear: _Ear, address: str, arguments: Arguments, messages: int) -> None:
    orders = ear.orders
    kind, _, names = address.partition("/")
    numbers = [argument for argument in arguments if not isinstance(argument, str)]
    if len(numbers) != len(arguments):
        raise RigError(f"'{ROOT}{address}' has a text among its arguments, where only numbers were expected")
    if kind == ARM and not names:
        is_new, orders.arm_pressed = orders.arm_pressed, False
        if is_pressed(numbers):
            _arm(rig, is_new)
        return
    if kind not in ORDERS:
        raise RigError(f"'{ROOT}{address}' is no address that is known: the Remote Control panel lists those that are")
    counts, obey = ORDERS[kind]
    if len(numbers) not in counts:
        expected = " or ".join(map(str, counts))
        raise RigError(f"'{ROOT}{address}' has {counted(len(numbers), 'number')}, and {expected} were expected")
    if not all(abs(number) <= FARTHEST for number in numbers):
        raise RigError(f"'{ROOT}{address}' has something that is no number, or beyond {FARTHEST:.0g}: nothing is changed")
    if kind == VELOCITY:
        _target(rig, names)
        ear.velocities[names] = numbers
    elif address in ear.signals and live.is_ticking(rig):
        _receive(ear, address, numbers, messages)
    else:
        obey(rig, names, numbers)
        ear.signals.begin(address, numbers)


def _receive(ear: _Ear, address: str, numbers: Sequence[float], messages: int) -> None:
    """Passes numbers on to a signal, with their rates if the sender knows them."""
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
    ear.signals.receive(address, numbers, messages, rate)


def is_pressed(arguments: Sequence[float | str]) -> bool:
    """Whether the arguments of a button are those of one that is pressed: none, or not 0."""
    return not arguments or arguments[0] != 0.0


def _arm(rig, is_new: bool) -> None:
    """Arms the robot, if `is_new`: an order that another program repeats, as that of a held button, does not arm it again."""
    if not rig.limber.remote.allow_arm:
        raise RigError("Another program asks to arm the robot: tick Allow Arming to let it")
    status = links.status(rig)
    if status is None:
        raise RigError("Another program asks to arm the robot, which is not connected: press Connect")
    if status.state is not State.DISARMED:
        raise RigError(f"Another program asks to arm the robot. {status.sentence}")
    if not is_new:
        raise RigError("Another program repeats its order to arm the robot: send 0, or nothing for a second, before the next")
    links.link(rig).arm()


def _move_target(rig, names: str, numbers: Sequence[float]) -> None:
    move_to(_target(rig, names), Vector(numbers))


def _rotate_target(rig, names: str, numbers: Sequence[float]) -> None:
    orientation = Quaternion(numbers)
    if orientation.magnitude < SHORTEST:
        raise RigError(WITHOUT_LENGTH.format(names))
    rotate_to(_target(rig, names), orientation.normalized())


def _move_along_axis(rig, names: str, numbers: Sequence[float]) -> None:
    of, _, axis = names.rpartition("/")
    if axis not in AXES or not axis:
        raise RigError(f"'{ROOT}axis/{names}' ends with no axis: end it with /x, /y or /z")
    target = _target(rig, of)
    position = target.matrix_world.translation.copy()
    position[AXES.index(axis)] = numbers[0]
    move_to(target, position)


def _no_order(rig, names: str, numbers: Sequence[float]) -> None:
    """A velocity belongs to the numbers that come with it."""


def _set_influence(rig, names: str, numbers: Sequence[float]) -> None:
    movers = _movers_with(rig, "influence")
    _named(movers, names, f"'{rig.name}' has no chain", lambda mover: mover.given_name).settings.influence = numbers[0]


def _set_weight(rig, names: str, numbers: Sequence[float]) -> None:
    mover, posture = _mover_and_rest(rig, _movers_with(rig, "postures"), names)
    lacks = f"{mover.label} has no posture"
    _named(_stored(mover.settings), posture, lacks, lambda stored: stored.action.name).weight = numbers[0]


def _target(rig, names: str):
    """The target that an address names: of a chain, or of one of a mover's goals.

    Raises:
        RigError: there is none, or it cannot be moved.
    """
    mover, name = _mover_and_rest(rig, _movers_with(rig, "target", "goals"), names)
    if name or not hasattr(mover.settings, "target"):
        goal = _named(_goals(mover.settings), name, f"{mover.label} has no goal", lambda goal: goal.name)
        target, lacks = goal.target, f"Goal '{goal.name}' of {mover.in_sentence} has no target: choose an object to follow"
    else:
        target, lacks = followed(mover.settings), capitalised(no_target(ends_of(mover.settings)[0]))
    if target is None:
        raise RigError(lacks)
    if not target.is_editable:
        raise RigError(f"Target '{target.name}' is linked from another file: choose an object of this file")
    return target


def _goals(settings) -> list:
    """Goals that addresses can name: all of a mechanism, the additional ones of a chain."""
    return [*getattr(settings, "goals", ()), *getattr(settings, "ends", ())]


def _stored(settings) -> list:
    """Stored postures of a mover whose pose assets exist."""
    return [posture for posture in getattr(settings, "postures", ()) if posture.action]


def _movers_with(rig, *settings: str) -> list[Mover]:
    """The movers of an object whose settings have one of these properties."""
    return [mover for mover in movers_of(rig) if any(hasattr(mover.settings, name) for name in settings)]


def _mover_and_rest(rig, movers: Sequence[Mover], names: str) -> tuple[Mover, str]:
    """The mover whose name an address begins with, and the rest of the address. Names may contain slashes."""
    begun = [(len(name), mover) for mover in movers for name in _spellings(mover.given_name) if f"{names}/".startswith(f"{name}/")]
    if not begun:
        raise RigError(_lacking(f"'{rig.name}' has no chain or mechanism", names.partition("/")[0], [mover.given_name for mover in movers]))
    length, mover = max(begun, key=lambda found: found[0])
    return mover, names[length + 1 :]


def _named(items, given: str, lacks: str, name: Callable):
    """The item whose name is `given`, with spaces or underscores; raises RigError, whose message begins with `lacks`, if there is none."""
    for item in items:
        if given in _spellings(name(item)):
            return item
    raise RigError(_lacking(lacks, given, map(name, items)))


def _lacking(lacks: str, given: str, known: Iterable[str]) -> str:
    return f"{lacks} '{given}': it has {', '.join(map(repr, known)) or 'none'}"


def _spellings(name: str) -> set[str]:
    return {name, name.replace(" ", "_")}


# Kind of an address -> how many numbers it has, and what it does.
ORDERS: dict[str, tuple[tuple[int, ...], Callable]] = {
    "target": ((3,), _move_target),
    "rotation": ((4,), _rotate_target),
    "axis": ((1,), _move_along_axis),
    VELOCITY: ((3, 6), _no_order),
    "influence": ((1,), _set_influence),
    "weight": ((1,), _set_weight),
}
