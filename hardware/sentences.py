"""A sentence for every state and fault of the robot link: what has happened, and the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT, Device, DeviceJoint
from .protocols.interface import Silence
from .protocols.table import is_on_network, silence_of
from .safety import JUMPED, Fault, State

BUTTONS = re.compile(r"\b(press|then) (Confirm Pose and Arm|Confirm Pose|Clear Fault|Disarm|Connect|Arm)\b")
JOINT_BY_JOINT = ", or Confirm joint by joint"  # which buttons alone can
VERBS = {"press": "type", "then": "then"}
STOP_IS_READY = "Stop is always ready"
BY_HAND = re.compile(
    r"[,;]? (?:and|then) press Clear Fault(?: to connect again|, or disconnect and choose another port)?$"
)
NO_STOP = "nobody can give Stop here, so end Blender, or switch off the robot's power, to stop it"


class HostWords(NamedTuple):
    """What sentences call the host, and how a person gives it orders.

    Attributes:
        name: Name of the host.
        typed: What a person types for each button; empty: there are buttons.
        has_stop: Whether a person can give Stop at any moment.
        no_orders: Where nobody can give it orders: what to do instead.
        retried: Faults after which it connects again by itself.
    """

    name: str = "Blender"
    typed: Mapping[str, str] = MappingProxyType({})
    has_stop: bool = True
    no_orders: str = ""
    retried: frozenset[Fault] = frozenset()

    def said(self, text: str) -> str:
        """A sentence about Blender and its buttons as one about this host."""
        if self.name != BLENDER.name:
            text = text.replace(JOINT_BY_JOINT, "")
        if not self.has_stop:
            text = text.replace(STOP_IS_READY, NO_STOP)
        if self.no_orders:
            text = BUTTONS.sub(lambda button: self.no_orders if button[1] == "press" else button[0], text)
        elif self.typed:
            text = BUTTONS.sub(lambda button: f"{VERBS[button[1]]} '{self.typed[button[2]]}'", text)
        return text.replace(BLENDER.name, self.name)


BLENDER = HostWords()

_STATES: dict[State, str] = {
    State.CLOSED: "Not connected: press Connect",
    State.CONNECTING: "Connecting to {port}: wait until the robot answers; nothing moves",
    State.DISARMED: "Disarmed: press Arm to let the robot move",
    State.CONFIRM_POSE: (
        "These servos do not measure their positions: bring the robot to the pose that Blender shows, "
        f"then press Confirm Pose{JOINT_BY_JOINT}"
    ),
    State.ARMING: f"Arming: the robot moves slowly to the pose that Blender shows; {STOP_IS_READY}",
    State.ARMED: "Armed: the robot follows",
    State.HOLDING: (
        "Holding still: no new angles from Blender, which is busy; wait, and the robot moves on slowly"
    ),
    State.SETUP: f"One joint moves slowly for the set-up; {STOP_IS_READY}, Disarm ends it",
    State.PARKING: (
        f"Parking: the robot goes slowly to where it rests, and is disarmed there; {STOP_IS_READY}"
    ),
    State.BRAKING: f"Disarming: the robot slows down first; {STOP_IS_READY}",
    State.LIMP: "Limp: move the robot by hand; press Disarm when done",
}

_NEEDS_CONFIRMATION = (
    "Disarmed. These servos do not measure their positions: bring the robot to the pose that Blender shows, "
    "then press Confirm Pose and Arm to let it move"
)
_JUMPED = f"The pose in Blender jumped: the robot goes there slowly; {STOP_IS_READY}"

_FAULTS: dict[Fault, str] = {
    Fault.STOPPED: "Stopped: make sure that all is safe, press Clear Fault, then Arm",
    Fault.PORT_MISSING: (
        "Port {port} does not exist: plug the robot in and press Clear Fault, or disconnect and choose"
        " another port"
    ),
    Fault.PORT_BUSY: (
        "Port {port} is busy: close the other program that uses it, then press Clear Fault to connect again"
    ),
    Fault.PORT_FORBIDDEN: (
        "Port {port} may not be opened by this user: on Linux add yourself to the group 'dialout' (sudo"
        " usermod -aG dialout $USER), log out and in, then connect again"
    ),
    Fault.PORT_UNUSABLE: (
        "Port {port} cannot be used ({detail}): plug the robot in again and press Clear Fault, or disconnect"
        " and choose another port"
    ),
    Fault.UNPLUGGED: (
        "The robot on {port} was unplugged: plug it in again, then press Clear Fault to connect again"
    ),
    Fault.SILENT: (
        "The robot on {port} does not answer: check its power, cable and firmware, then press Clear Fault to"
        " connect again"
    ),
    Fault.OTHER_PROTOCOL: (
        "What is on {port} does not speak Limber's protocol: upload Limber's firmware and press Clear Fault, "
        "or disconnect and choose another port"
    ),
    Fault.OTHER_VERSION: "{detail}, then press Clear Fault to connect again",
    Fault.UNSUITABLE: (
        "The robot on {port} does not fit the channels ({detail}): disconnect, correct the channels, then"
        " connect again"
    ),
    Fault.DEVICE_RESET: (
        "The robot on {port} restarted and is disarmed: check its power supply, press Clear Fault, then Arm"
    ),
    Fault.DEVICE_WATCHDOG: (
        "The robot heard nothing for too long and stopped by itself: check its cable, press Clear Fault,"
        " then Arm"
    ),
    Fault.DEVICE_REFUSED: (
        "The robot on {port} reports an error ({detail}): mend it, press Clear Fault, then Arm"
    ),
    Fault.POSE_UNREAD: (
        "The robot did not report its position ({detail}), so it was not armed: check the servos' cables,"
        " press Clear Fault, then Arm"
    ),
    Fault.BLENDER_SILENT: (
        "Blender was silent for too long, so the robot was disarmed: press Clear Fault, then Arm"
    ),
    Fault.WORKER_DIED: (
        "The process that talks to the robot ended ({detail}); {alone} press Clear Fault to start it again"
    ),
    Fault.WORKER_HUNG: (
        "The process that talks to the robot hangs; {alone} press Clear Fault to start it again"
    ),
    Fault.BLOCKED: (
        "A joint does not follow ({detail}): take away what holds it, check its servo's power, press Clear"
        " Fault, then Arm"
    ),
    Fault.POSE_UNFIT: (
        "The robot cannot be where its channels report it ({detail}), so it was not armed: "
        "correct zero and direction, or move it by hand; press Clear Fault, then Arm"
    ),
    Fault.WRONG_MODE: (
        "A servo on {port} is not set to go to positions ({detail}), so it is not driven: "
        "disconnect, set it with its maker's tool (Feetech FD, Dynamixel Wizard), then connect again"
    ),
    Fault.POSITION_DOUBTFUL: (
        "The position of a servo is uncertain ({detail}), so it was not armed: rotate it by hand into its"
        " range, press Clear Fault, then Arm; or disconnect, and correct its homing offset, limits and phase"
        " with its maker's tool, or use Multi-Turn"
    ),
    Fault.SERVO_FORGOT: (
        "A servo on {port} has lost what was written to it ({detail}), as after a power failure: "
        "check its supply and cable, press Clear Fault, then Arm"
    ),
    Fault.WENT_ON: (
        "A servo went on turning after its motion was ended ({detail}), and was made limp: press Clear Fault,"
        " then Arm; if it happens again, disconnect and check its operating mode with its maker's tool"
    ),
    Fault.OTHER_CALIBRATION: (
        "A servo on {port} is not as it was when it was calibrated ({detail}), so it is not driven:"
        " disconnect and import the robot's newest calibration; or press Clear Fault, calibrate it again,"
        " then Arm"
    ),
    Fault.HELD_UP: (
        "The computer slept, or the process that talks to the robot was held up, for {detail}, so the robot"
        " is disarmed: see that it is safe, press Clear Fault, then Arm"
    ),
    Fault.NO_PYSERIAL: (
        "Serial ports need pyserial, which is not installed: install Limber from its zip, or use the virtual"
        " robot"
    ),
}

_NETWORK_FAULTS: dict[Fault, str] = {
    Fault.PORT_MISSING: (
        "{port} is not in this network ({detail}): switch the robot on, check its network and its address,"
        " then press Clear Fault"
    ),
    Fault.PORT_UNUSABLE: (
        "Nothing answers on {port} ({detail}): wait until the robot's daemon has started, or start it, check"
        " the address, then press Clear Fault to connect again"
    ),
    Fault.UNPLUGGED: (
        "The connection to {port} has ended ({detail}): check the robot's power, its daemon and the network, "
        "then press Clear Fault to connect again"
    ),
    Fault.SILENT: (
        "The daemon on {port} does not say where its motors are: check the robot's power and the network,"
        " look at its dashboard, or restart the daemon; then press Clear Fault to connect again"
    ),
    Fault.OTHER_PROTOCOL: (
        "What is on {port} is no daemon of Reachy Mini ({detail}): correct the address, then press Clear"
        " Fault"
    ),
    Fault.POSE_UNREAD: (
        "The daemon did not report the robot's position ({detail}), so it was not armed: look at its"
        " dashboard, press Clear Fault, then Arm"
    ),
    Fault.BLOCKED: (
        "A joint does not follow ({detail}): take away what holds it, end other programs and moves that drive"
        " the robot, press Clear Fault, then Arm"
    ),
}
"""Of robots on a network, where these differ."""


_ALONE: dict[Silence, str] = {
    Silence.WATCHDOG: "the robot stops itself:",
    Silence.HOLD: (
        "these servos have no watchdog, so each goes to its last goal and holds it with torque: "
        "switch off their power if that is not safe, then"
    ),
    Silence.UNKNOWN: (
        "whether the robot stops itself is its maker's decision: switch off its power if it does not, then"
    ),
}
"""What the robot does that nobody talks to."""


def shown(text: str) -> str:
    """A text that a device may have a part in, with replacements for characters that cannot be shown."""
    return (
        text
        if text.isprintable()
        else "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    )


def port_name(port: str) -> str:
    """Name of a port as text for the user."""
    return {VIRTUAL_PORT: "the virtual robot", VIRTUAL_HOBBY_PORT: "the virtual robot with hobby servos"}.get(
        port, port
    )


def pose_texts(joints: Sequence[DeviceJoint], positions: Sequence[float]) -> list[str]:
    """The position of each joint, in its unit, as a person reads it."""
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
) -> str:
    """Sentence about a state or fault and the remedy; `detail` completes it, `needs_confirmation` as in
    `Status`.
    """
    text = _sentence(state, fault, detail, device, needs_confirmation)
    if state is State.FAULT and fault in host.retried:
        text = BY_HAND.sub("; Blender connects again by itself, and it stays disarmed", text)
    return host.said(text)


def _sentence(state: State, fault: Fault, detail: str, device: Device, needs_confirmation: bool) -> str:
    if detail == JUMPED:
        return _JUMPED
    is_fault = state in (State.FAULT, State.WORKER_LOST)
    known = _NEEDS_CONFIRMATION if needs_confirmation and state is State.DISARMED else _STATES.get(state, "")
    faults = _FAULTS | _NETWORK_FAULTS if is_on_network(device.protocol) else _FAULTS
    text = (faults[fault] if is_fault else known).format(
        port=port_name(device.port),
        detail=detail or "no more is known",
        alone=_ALONE[silence_of(device.protocol)],
    )
    return text if is_fault or not detail else f"{text} ({detail})"
