"""Simulates Reachy Mini's daemon (1.13) as its clients see it, on the caller's clock: its WebSocket, its
messages, and its faults.

tests/makers runs the same Limber against the real one.
"""

import base64
import hashlib
import json
import math

from limber.hardware.protocols.reachy_mini.capabilities import ANTENNAS, HEAD, LIMITS, MOTORS, STEPS

from tests.hardware.devices import direct, one_to_one

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA  # opcodes of WebSocket frames
PERIOD = 0.02  # [s] period of its control loop
STATUS = 1.0  # [s] interval of messages about its state
SLEEP = (0.0, -0.82, 1.2, -0.24, 0.21, -1.2, 0.83, -3.05, 3.05)  # [rad] motor angles while it sleeps
PER_RADIAN = STEPS / math.tau
TOO_LONG = "a target of another length than its joints"


def reachy_device(limits, on_silence: str = "hold", port: str = "reachy-mini.local:8000", ranges=LIMITS):
    """Reachy Mini's nine motors, in the order of its joints: body, head, right and left antenna.

    `ranges`: lowest and highest position [steps] of each motor.
    """
    servo = {"zero": 2048.0, "per_radian": PER_RADIAN, "on_silence": on_silence}
    pairs = [
        direct(
            name,
            motor,
            limits,
            direction=-1 if motor in ANTENNAS else 1,
            lowest=ranges[motor][0],
            highest=ranges[motor][1],
            **servo,
        )
        for motor, name in MOTORS.items()
    ]
    return one_to_one(port, pairs, protocol="reachy_mini")


class ReachyDaemon:
    """The daemon with one client.

    Attributes:
        angles: Angles (9,) [rad] of its motors, body first, antennas last.
        motors: "enabled" or "disabled".
        limp: Names of motors without torque.
        moves_until: Time [s] until which a move plays and targets are ignored.
        commands: Commands of the client, as dicts, in order.
        silent: Whether it sends no more messages about its motors.
    """

    def __init__(self, now: float, angles=SLEEP, motors: str = "disabled") -> None:
        self.angles = list(angles)
        self.targets: list[float] | None = None
        self.motors = motors
        self.limp: set[str] = set()
        self.moves_until = -math.inf
        self.velocity = 0.0  # [rad/s] velocity of the body while a move plays
        self.commands: list[dict] = []
        self.times: list[float] = []  # [s] arrival time of each command
        self.silent = False
        self.answers_pings = True
        self.state, self.error = "running", None
        self.now = now
        self._coming = bytearray()
        self._pongs = b""
        self._open = self._closed = False
        self._next_tick, self._next_status = now + 0.013, now + 0.3

    def hear(self, data: bytes, now: float) -> bytes:
        """The daemon's answer to `data`, which arrived at `now` [s]."""
        said = b""
        self._coming += data
        if not self._open:
            said += self._greeted()
        while self._open and (command := self._next()) is not None:
            self.commands.append(command)
            self.times.append(now)
            self._obey(command)
        said, self._pongs = said + self._pongs, b""
        while self._open and not self._closed and self._next_tick <= now:
            self.now = self._next_tick
            said += self._tick()
            self._next_tick += PERIOD
        self.now = now
        return said

    def play(self, seconds: float, velocity: float = 0.0) -> None:
        """Another program starts a move."""
        self.moves_until, self.velocity = self.now + seconds, velocity

    def told(self, kind: str) -> list[dict]:
        """The client's commands of a type."""
        return [command for command in self.commands if command["type"] == kind]

    def _tick(self) -> bytes:
        if self.now < self.moves_until:
            self.angles[0] += self.velocity * PERIOD
        elif self.targets is not None and self.motors == "enabled":
            self.angles = [
                angle if name in self.limp else target
                for name, angle, target in zip(MOTORS.values(), self.angles, self.targets, strict=True)
            ]
        said = b""
        if not self.silent:
            head, antennas = self.angles[: len(HEAD)], self.angles[len(HEAD) :]
            said += text(
                {
                    "type": "joint_positions",
                    "head_joint_positions": head,
                    "antennas_joint_positions": antennas,
                }
            )
            said += text({"type": "head_pose", "head_pose": [[1.0, 0.0, 0.0, 0.0]] * 4})
        if self.now >= self._next_status:
            self._next_status += STATUS
            backend = {"motor_control_mode": self.motors, "error": self.error}
            said += text(
                {"type": "daemon_status", "state": self.state, "error": self.error, "backend_status": backend}
            )
        return said

    def _obey(self, command: dict) -> None:
        present = list(self.angles)
        match command:
            case {"type": "set_head_joints", "joints": joints} if self.now >= self.moves_until:
                assert len(joints) == len(HEAD), TOO_LONG
                self.targets = [*joints, *(self.targets or present)[len(HEAD) :]]
            case {"type": "set_antennas", "antennas": antennas} if self.now >= self.moves_until:
                assert len(antennas) == len(ANTENNAS), TOO_LONG
                antennas = [-math.pi if math.isnan(angle) else angle for angle in antennas]
                self.targets = [*(self.targets or present)[: len(HEAD)], *antennas]
            case {"type": "set_motor_mode", "mode": mode}:
                if mode == "enabled" and (self.motors != mode or self.limp):
                    self.targets = present
                self.motors, self.limp = mode, set()
            case {"type": "set_torque", "on": False, "ids": names}:
                self.limp |= set(names)
            case {"type": "stop_move"}:
                self.moves_until = -math.inf

    def _greeted(self) -> bytes:
        head, end, _ = self._coming.partition(b"\r\n\r\n")
        if not end:
            return b""
        del self._coming[: len(head) + len(end)]
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        assert ":" in lines["Host"]
        self._open = True
        accept = hashlib.sha1(
            (lines["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
        ).digest()
        return (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(accept) + b"\r\n\r\n"
        )

    def _next(self) -> dict | None:
        """The client's next command, unmasked."""
        data = self._coming
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        assert data[1] & 0x80, "a client masks what it sends"
        if size == 126:
            size, start = int.from_bytes(data[2:4], "big"), 4
        if len(data) < start + 4 + size:
            return None
        mask, content = data[start : start + 4], data[start + 4 : start + 4 + size]
        kind = data[0] & 0x0F
        del data[: start + 4 + size]
        if kind == CLOSE:
            self._closed = True
            return None
        content = bytes(byte ^ mask[k % 4] for k, byte in enumerate(content))
        if kind == PING and self.answers_pings:
            self._pongs += bytes((0x80 | PONG, size)) + content
        return json.loads(content) if kind == TEXT else self._next()


def text(message: dict) -> bytes:
    """Frame of a message from a server."""
    content = json.dumps(message).encode()
    size = len(content)
    return (
        bytes((0x81,)) + (bytes((size,)) if size < 126 else bytes((126,)) + size.to_bytes(2, "big")) + content
    )
