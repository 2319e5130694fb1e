"""A sentence for every state and fault of the robot link: the cause, and the remedy.

Texts are templates for all hosts. Some fields are filled with the host's words: `{host}` is its name,
`{press:Arm}` and `{then:Arm}` the action that corresponds to that button in Blender, `{joint_by_joint}` and
`{stop}` further actions. Other fields are facts: `{port}`, `{detail}`, and `{alone}` and `{alone_remedy}` for
a robot without communication.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT, Device, DeviceJoint
from .protocols.interface import Silence
from .protocols.table import is_on_network, silence_of
from .safety import JUMPED, LATE, NO_POSE, UNREACHED, Fault, State


class HostWords(NamedTuple):
    """Words for a host in sentences, and for the actions of a person in it.

    Attributes:
        name: Name of the host.
        typed: Text to type instead of each button; empty if there are buttons.
        has_stop: Whether a person can give Stop at any time.
        no_orders: Text that replaces every action in a host that takes no commands; empty in others.
        retried: Faults after which the host reconnects on its own.
        confirms_joints: Whether a person can confirm the pose joint by joint.
    """

    name: str = "Blender"
    typed: Mapping[str, str] = MappingProxyType({})
    has_stop: bool = True
    no_orders: str = ""
    retried: frozenset[Fault] = frozenset()
    confirms_joints: bool = True

    @property
    def stop(self) -> str:
        """Text on how to stop the robot."""
        if self.has_stop:
            return "Stop is always ready"
        return f"nobody can give Stop here, so end {self.name}, or switch off the robot's power, to stop it"

    def press(self, button: str) -> str:
        """Text on the action that corresponds to pressing a button."""
        if self.no_orders:
            return self.no_orders
        return f"type '{self.typed[button]}'" if self.typed else f"press {button}"

    def then(self, button: str) -> str:
        """Text on the action that corresponds to pressing a button after another one."""
        return f"then '{self.typed[button]}'" if self.typed and not self.no_orders else f"then {button}"

    def fields(self) -> dict[str, object]:
        """Values of the template fields for this host."""
        return {
            "host": self.name,
            "press": _ButtonField(self.press),
            "then": _ButtonField(self.then),
            "stop": self.stop,
            "joint_by_joint": ", or Confirm joint by joint" if self.confirms_joints else "",
        }


class _ButtonField:
    """Field of a format string that names a button after its colon, "{press:Arm}": `words` returns the text
    to insert for that button.
    """

    def __init__(self, words: Callable[[str], str]) -> None:
        self._words = words

    def __format__(self, button: str) -> str:
        return self._words(button)


BLENDER = HostWords()


class FaultText(NamedTuple):
    """Text of a fault.

    Attributes:
        cause: Cause of the fault.
        remedy: Action for the user; "" if the cause contains it.
        reconnect: Last part of the remedy, on reconnecting, with its conjunction; it is replaced for a host
            that reconnects on its own. "" if there is no such part.
    """

    cause: str
    remedy: str
    reconnect: str = ""


# last part of a fault's text for a host that reconnects on its own
RECONNECTS = "; {host} connects again by itself, and it stays disarmed"

NOT_REACHED = (
    "Not reached: nothing is known now of the robot on {port}, so check its power and its connection. "
)
"""What precedes the sentence on a fault that is not one of the connection."""

_STATES: dict[State, str] = {
    State.CLOSED: "Not connected: {press:Connect}",
    State.CONNECTING: "Connecting to {port}: wait until the robot answers; nothing moves",
    State.DISARMED: "Disarmed: {press:Arm} to let the robot move",
    State.CONFIRM_POSE: (
        "These servos do not measure their positions: bring the robot to the pose that {host} shows, "
        "then {press:Confirm Pose}{joint_by_joint}"
    ),
    State.ARMING: "Arming: the robot moves slowly to the pose that {host} shows; {stop}",
    State.ARMED: "Armed: the robot follows",
    State.HOLDING: "Holding still: no new angles from {host}, which is busy; wait, and the robot moves on slowly",
    State.SETUP: "One joint moves slowly for the set-up; {stop}, Disarm ends it",
    State.PARKING: "Parking: the robot goes slowly to where it rests, and is disarmed there; {stop}",
    State.BRAKING: "Disarming: the robot slows down first; {stop}",
    State.LIMP: "Limp: move the robot by hand; {press:Disarm} when done",
}

_NEEDS_CONFIRMATION = (
    "Disarmed. These servos do not measure their positions: bring the robot to the pose that {host} shows, "
    "then {press:Confirm Pose and Arm} to let it move"
)
_HELD: dict[str, str] = {
    JUMPED: (
        "The pose in {host} jumped: the robot goes there slowly; {stop}. If a loop jumps each time, let its end"
        " meet its beginning"
    ),
    LATE: (
        "The robot reads its moves too late, so it holds, then goes on slowly: check its network, and what else"
        " uses it; {stop}"
    ),
}
"""Texts that replace that of the state while a motion is interrupted, by the detail of the state."""
_NO_POSE = (
    "{host} has shown no new pose for a second: wait until it is no longer busy, then give the order again"
)

_FAULTS: dict[Fault, FaultText] = {
    Fault.STOPPED: FaultText(
        "Stopped",
        "make sure that all is safe, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.PORT_MISSING: FaultText(
        "Port {port} does not exist",
        "plug the robot in",
        " and {press:Clear Fault}, or disconnect and choose another port",
    ),
    Fault.PORT_BUSY: FaultText(
        "Port {port} is busy",
        "close the other program that uses it",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.PORT_FORBIDDEN: FaultText(
        "Port {port} may not be opened by this user",
        (
            "on Linux add yourself to the group 'dialout' (sudo usermod -aG dialout $USER), log out "
            "and in, then connect again"
        ),
    ),
    Fault.PORT_UNUSABLE: FaultText(
        "Port {port} cannot be used ({detail})",
        "plug the robot in again",
        " and {press:Clear Fault}, or disconnect and choose another port",
    ),
    Fault.UNPLUGGED: FaultText(
        "The robot on {port} was unplugged",
        "plug it in again",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.SILENT: FaultText(
        "The robot on {port} does not answer",
        "check its power, cable and firmware",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.OTHER_PROTOCOL: FaultText(
        "What is on {port} does not speak Limber's protocol",
        "upload Limber's firmware",
        " and {press:Clear Fault}, or disconnect and choose another port",
    ),
    Fault.OTHER_VERSION: FaultText(
        "{detail}",
        "",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.UNSUITABLE: FaultText(
        "The robot on {port} does not fit the channels ({detail})",
        "disconnect, correct the channels, then connect again",
    ),
    Fault.DEVICE_RESET: FaultText(
        "The robot on {port} restarted and is disarmed",
        "check its power supply, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.DEVICE_WATCHDOG: FaultText(
        "The robot heard nothing for too long and stopped by itself",
        "check its cable, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.DEVICE_REFUSED: FaultText(
        "The robot on {port} reports an error ({detail})",
        "mend it, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.POSE_UNREAD: FaultText(
        "The robot did not report its position ({detail}), so it was not armed",
        "check the servos' cables, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.BLENDER_SILENT: FaultText(
        "{host} was silent for too long, so the robot was disarmed",
        "{press:Clear Fault}, {then:Arm}",
    ),
    Fault.WORKER_DIED: FaultText(
        "The process that talks to the robot ended ({detail}); {alone}",
        "{alone_remedy}{press:Clear Fault} to start it again",
    ),
    Fault.WORKER_HUNG: FaultText(
        "The process that talks to the robot hangs; {alone}",
        "{alone_remedy}{press:Clear Fault} to start it again",
    ),
    Fault.BLOCKED: FaultText(
        "A joint does not follow ({detail})",
        "take away what holds it, check its servo's power, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.POSE_UNFIT: FaultText(
        "The robot cannot be where its channels report it ({detail}), so it was not armed",
        "correct zero and direction, or move it by hand; {press:Clear Fault}, {then:Arm}",
    ),
    Fault.WRONG_MODE: FaultText(
        "A servo on {port} is not set to go to positions ({detail}), so it is not driven",
        ("disconnect, set it with its maker's tool (Feetech FD, Dynamixel Wizard), then connect again"),
    ),
    Fault.POSITION_DOUBTFUL: FaultText(
        "The position of a servo is uncertain ({detail}), so it was not armed",
        (
            "rotate it by hand into its range, {press:Clear Fault}, {then:Arm}; or disconnect, and "
            "correct its homing offset, limits and phase with its maker's tool, or use Multi-Turn"
        ),
    ),
    Fault.SERVO_FORGOT: FaultText(
        "A servo on {port} has lost what was written to it ({detail}), as after a power failure",
        "check its supply and cable, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.WENT_ON: FaultText(
        "A servo went on turning after its motion was ended ({detail}), and was made limp",
        (
            "{press:Clear Fault}, {then:Arm}; if it happens again, disconnect and check its "
            "operating mode with its maker's tool"
        ),
    ),
    Fault.OTHER_CALIBRATION: FaultText(
        ("A servo on {port} is not as it was when it was calibrated ({detail}), so it is not driven"),
        (
            "disconnect and import the robot's newest calibration; or {press:Clear Fault}, calibrate "
            "it again, {then:Arm}"
        ),
    ),
    Fault.HELD_UP: FaultText(
        (
            "The computer slept, or the process that talks to the robot was held up, for {detail}, "
            "so the robot is disarmed"
        ),
        "see that it is safe, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.UNREAD: FaultText(
        "The daemon on {port} does not read what it is sent",
        "check its network and its dashboard, end what else loads them, or restart the daemon",
        "; then {press:Clear Fault} to connect again",
    ),
    Fault.NO_PYSERIAL: FaultText(
        "Serial ports need pyserial, which is not installed",
        "install Limber from its zip, or use the virtual robot",
    ),
}

_NETWORK_FAULTS: dict[Fault, FaultText] = {
    Fault.PORT_MISSING: FaultText(
        "{port} is not in this network ({detail})",
        "switch the robot on, check its network and its address",
        ", then {press:Clear Fault}",
    ),
    Fault.PORT_UNUSABLE: FaultText(
        "Nothing answers on {port} ({detail})",
        "wait until the robot's daemon has started, or start it, check the address",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.UNPLUGGED: FaultText(
        "The connection to {port} has ended ({detail})",
        "check the robot's power, its daemon and the network",
        ", then {press:Clear Fault} to connect again",
    ),
    Fault.SILENT: FaultText(
        "The daemon on {port} does not say where its motors are",
        "check the robot's power and the network, look at its dashboard, or restart the daemon",
        "; then {press:Clear Fault} to connect again",
    ),
    Fault.OTHER_PROTOCOL: FaultText(
        "What is on {port} is no daemon of Reachy Mini ({detail})",
        "correct the address",
        ", then {press:Clear Fault}",
    ),
    Fault.POSE_UNREAD: FaultText(
        "The daemon did not report the robot's position ({detail}), so it was not armed",
        "look at its dashboard, {press:Clear Fault}, {then:Arm}",
    ),
    Fault.BLOCKED: FaultText(
        "A joint does not follow ({detail})",
        (
            "take away what holds it, end other programs and moves that drive the robot, "
            "{press:Clear Fault}, {then:Arm}"
        ),
    ),
}
"""Texts of the faults of robots on a network, where they differ from `_FAULTS`."""


_ALONE: dict[Silence, tuple[str, str]] = {
    Silence.WATCHDOG: ("the robot stops itself", ""),
    Silence.HOLD: (
        "these servos have no watchdog, so each goes to its last goal and holds it with torque",
        "switch off their power if that is not safe, then ",
    ),
    Silence.UNKNOWN: (
        "whether the robot stops itself is its maker's decision",
        "switch off its power if it does not, then ",
    ),
}
"""(what a robot does without communication, beginning of the remedy), by its protocol's `Silence`."""


def port_name(port: str) -> str:
    """Name of a port as text for the user."""
    return {VIRTUAL_PORT: "the virtual robot", VIRTUAL_HOBBY_PORT: "the virtual robot with hobby servos"}.get(
        port, port
    )


def pose_texts(joints: Sequence[DeviceJoint], positions: Sequence[float]) -> list[str]:
    """The position of each joint, in its unit, as text."""
    scales = {"rad": (math.degrees(1.0), " degrees"), "m": (1e3, " mm"), "plain": (1.0, "")}
    rows = [
        (joint.name, position, *scales[joint.unit]) for joint, position in zip(joints, positions, strict=True)
    ]
    return [f"{name} {scale * position:.1f}{unit}" for name, position, scale, unit in rows]


def sentence(
    state: State,
    fault: Fault,
    detail: str,
    device: Device,
    needs_confirmation: bool = False,
    host: HostWords = BLENDER,
    is_reached: bool = True,
) -> str:
    """Sentence about a state or fault, and the remedy.

    Args:
        state: State of the link.
        fault: The fault, in the states FAULT and WORKER_LOST.
        detail: Text that completes the sentence, or JUMPED, LATE or NO_POSE; may be empty.
        device: The robot.
        needs_confirmation: As in `Status`.
        host: Words for the host.
        is_reached: As in `Status`.
    """
    alone, alone_remedy = _ALONE[silence_of(device.protocol)]
    known_detail = _NO_POSE.format(**host.fields()) if detail == NO_POSE else detail
    fields = {
        "port": port_name(device.port),
        "detail": known_detail or "no more is known",
        "alone": alone,
        "alone_remedy": alone_remedy,
        **host.fields(),
    }
    if detail in _HELD:
        return _HELD[detail].format(**fields)
    if state in (State.FAULT, State.WORKER_LOST):
        is_retried = state is State.FAULT and fault in host.retried
        is_lost_too = state is State.FAULT and not is_reached and fault not in UNREACHED
        text = _fault_text(fault, device, is_retried)
        return f"{NOT_REACHED if is_lost_too else ''}{text}".format(**fields)
    text = _NEEDS_CONFIRMATION if needs_confirmation and state is State.DISARMED else _STATES.get(state, "")
    filled = text.format(**fields)
    return f"{filled} ({known_detail})" if known_detail else filled


def _fault_text(fault: Fault, device: Device, is_retried: bool) -> str:
    """Text of a fault with its remedy; `is_retried`: whether the host reconnects on its own."""
    text = _FAULTS[fault]
    if is_on_network(device.protocol):
        text = _NETWORK_FAULTS.get(fault, text)
    remedy = f": {text.remedy}" if text.remedy else ""
    reconnect = RECONNECTS if text.reconnect and is_retried else text.reconnect
    return f"{text.cause}{remedy}{reconnect}"
