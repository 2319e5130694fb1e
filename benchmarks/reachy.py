"""Compares Limber's Reachy Mini with the maker's own software, which scripts/makers.sh installs.

    python -m benchmarks.reachy --kinematics 500    motor angles for head poses, compared with the maker's
                                                    inverse kinematics
    python -m benchmarks.reachy --away 200          poses taken for head poses out of reach, compared with
                                                    the nearest ones that an optimiser finds
    python -m benchmarks.reachy --daemon 60         a minute of motion through the daemon's real backend onto
                                                    simulated servos with a body

--kinematics  Random head poses and body yaws that the maker's kinematics reaches within the motors' limits.
              Limber's model is the gallery's URDF with the closures that its import finds; each pose is
              reached from neutral in steps. The closed form uses the same file's geometry: no solver of this
              geometry can be nearer to the maker's results.
--away        Half of the poses would take motors beyond their limits, half have no solution at all. Limber's
              pose is that after 60 steps from neutral, and as many frames as it takes to come to rest. This
              needs SciPy, which no environment here contains: pip install scipy
--daemon      Limber's worker and the maker's client send the same motion of head, body and antennas in turns.
              The servos behind a serial port move the maker's own MuJoCo model, which has mass. The lag is
              the delay at which the positions that the daemon publishes fit the motion best: the median of
              the motors. --massless: the servos have ideal horns.
"""

import argparse
import json
import math
import socket
import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from limber.hardware.link import WorkerLink
from limber.hardware.protocols.reachy_mini.messages import JointPositions, decode
from limber.hardware.protocols.reachy_mini.websocket import WebSocket
from limber.hardware.safety import Fault, State
from limber.motion import Kinematic, Limits
from limber.robots.reading import read
from limber.solvers.kinematics.rotations import exponential, to_matrix

from tests.hardware.reachy_daemon import reachy_device
from tests.hardware.served_bus import ServedBus
from tests.makers.reachy import (
    BODY,
    HORNS,
    IS_THERE,
    MISSING,
    OFFSETS,
    PYTHON,
    MakersDaemon,
    environment,
    set_up,
)

from .reachy_kinematics import URDF, Platform, kinematics
from .reachy_reach import NEARER, reach

FPS = 60  # frames per second that Limber receives
CLIENT_RATE = 50  # commands per second of the maker's client
ROUND_SECONDS = 20.0  # [s] time for which each of the two sends in turn
# factor of the number of rounds that are tried: on busy cores the daemon may be silent for so long that
# Limber stops
TRIES_PER_ROUND = 4
SETTLE = 3.0  # [s] duration of motion before the lag is measured

CLIENT_CODE = """
import json, sys, time
import numpy as np
from reachy_mini import ReachyMini

rows = json.load(open(sys.argv[1]))
host, port = sys.argv[2].split(":")
options = {"connection_mode": "localhost_only", "media_backend": "no_media", "automatic_body_yaw": False, "timeout": 60.0}
with ReachyMini(port=int(port), **options) as robot:
    robot.enable_motors()
    robot.set_target(head=np.array(rows["head"][0]), antennas=rows["antennas"][0], body_yaw=rows["yaw"][0])
    time.sleep(2.0)
    begun = time.time()
    print(begun, flush=True)
    for k, (head, antennas, yaw) in enumerate(zip(rows["head"], rows["antennas"], rows["yaw"])):
        robot.set_target(head=np.array(head), antennas=antennas, body_yaw=yaw)
        time.sleep(max(0.0, begun + (k + 1) / rows["rate"] - time.time()))
"""


class Observer:
    """Records the positions that a daemon publishes, in a separate thread."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._line = WebSocket(address, "/ws/sdk")
        self._socket.sendall(self._line.handshake)
        self.rows: list[tuple[float, ...]] = []  # time [s], and angles of body, head and antennas [rad]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while data := self._received():
            time_now = time.time()
            for text in self._line.feed(data):
                if isinstance(joints := decode(text), JointPositions):
                    self.rows.append((time_now, *joints.head, *joints.antennas))
            if answers := self._line.answers():
                self._socket.sendall(answers)

    def _received(self) -> bytes:
        """The bytes that have arrived; empty if the connection has ended."""
        try:
            return self._socket.recv(65536)
        except OSError:
            return b""


def motion(seconds: float, rate: int) -> dict[str, list]:
    """Head poses, antennas [rad], body yaws [rad] and times [s] of a character that looks around."""
    rows: dict[str, list] = {"time": [], "head": [], "antennas": [], "yaw": []}
    for k in range(int(seconds * rate)):
        t = k / rate
        head = np.eye(4)
        rotation_vector = (0.15 * math.sin(1.7 * t), 0.18 * math.sin(2.3 * t + 1.0), 0.35 * math.sin(1.1 * t))
        head[:3, :3] = to_matrix(exponential(rotation_vector))
        head[:3, 3] = (0.006 * math.sin(0.9 * t), 0.008 * math.sin(1.3 * t), 0.005 * math.sin(2.9 * t))
        rows["time"].append(t)
        rows["head"].append(head.tolist())
        rows["antennas"].append([0.5 * math.sin(3.1 * t), -0.5 * math.sin(2.7 * t)])
        rows["yaw"].append(0.3 * math.sin(0.8 * t))
    return rows


def lag(observed: np.ndarray, begun: float, times: np.ndarray, desired: np.ndarray) -> float:
    """Delay [s] at which the observed motion is nearest to the desired one: the median over the joints. The
    first `SETTLE` and the last .5 s do not count.

    Args:
        observed: Time [s] and angles [rad] of each observation, (t, 1 + n).
        begun: Time [s] at which the motion began.
        times: (f,) [s] times of the desired angles since the motion began.
        desired: (f, n) [rad] desired angles.
    """
    inside = (observed[:, 0] > begun + SETTLE) & (observed[:, 0] < begun + times[-1] - 0.5)
    at, seen = observed[inside, 0] - begun, observed[inside, 1:]
    delays = np.arange(-0.05, 0.3, 0.0005)
    best = []
    for joint in range(desired.shape[1]):
        misses = [
            float(np.mean((np.interp(at - delay, times, desired[:, joint]) - seen[:, joint]) ** 2))
            for delay in delays
        ]
        best.append(delays[int(np.argmin(misses))])
    return float(np.median(best))


def through_the_daemon(seconds: float, massless: bool = False) -> list[dict[str, float]]:
    """For each round: lags [s] of Limber and of the maker's client, and the numbers of Limber's sent and lost
    commands; `massless`: the servos have ideal horns. Ends the program if too many rounds fail.
    """
    rounds = max(1, round(seconds / ROUND_SECONDS))
    rows = motion(seconds / rounds, FPS)
    platform = Platform(read(URDF, for_mechanism=True))
    motors = np.array(
        [platform.motors(np.array(head), yaw) for head, yaw in zip(rows["head"], rows["yaw"], strict=True)]
    )
    desired = np.column_stack((rows["yaw"], motors, rows["antennas"]))
    times = np.array(rows["time"])
    rows_of_rounds: list[dict[str, float]] = []
    for _ in range(TRIES_PER_ROUND * rounds):
        try:
            rows_of_rounds.append(_round(times, desired, motion(seconds / rounds, CLIENT_RATE), massless))
        except RuntimeError as error:
            print(f"a round is repeated, since other programs keep the cores busy: {error}")
        if len(rows_of_rounds) == rounds:
            return rows_of_rounds
    sys.exit(
        f"only {len(rows_of_rounds)} of {rounds} rounds could be run to their ends: run it on an idle machine"
    )


def _servos(massless: bool) -> ServedBus:
    """Reachy Mini's servos on a serial port: with ideal horns, or with the maker's MuJoCo model attached to
    them.
    """
    positions = {10 + k: 2048.0 - offset for k, offset in enumerate(OFFSETS)}
    bus = ServedBus(positions, "dynamixel") if massless else ServedBus({}, "dynamixel", BODY, HORNS)
    set_up(bus)
    return bus


def _round(times: np.ndarray, desired: np.ndarray, rows: dict[str, list], massless: bool) -> dict[str, float]:
    """Runs the maker's client and Limber once each, on a daemon of this round; returns a round of
    `through_the_daemon`. Raises RuntimeError if one of them fails, as when the daemon was delayed for too
    long.
    """
    with (
        tempfile.TemporaryDirectory() as home,
        _servos(massless) as bus,
        MakersDaemon(Path(home), "-p", bus.port) as daemon,
    ):
        observer = Observer(daemon.address)
        begun = _maker_streams(Path(home), daemon.address, rows)
        maker = lag(np.array(observer.rows), begun, times, desired)
        begun, lost, sent = _limber_streams(daemon.address, desired)
        time.sleep(0.5)
        return {
            "maker": maker,
            "limber": lag(np.array(observer.rows), begun, times, desired),
            "lost": lost,
            "sent": sent,
        }


def _maker_streams(home: Path, address: str, rows: dict[str, list]) -> float:
    """Sends the motion with the maker's client; returns the time [s] at which it began. Raises RuntimeError
    if the client fails.
    """
    path = home / "motion.json"
    path.write_text(json.dumps({**rows, "rate": CLIENT_RATE}))
    done = subprocess.run(
        [str(PYTHON), "-c", CLIENT_CODE, str(path), address],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the maker's client failed: {done.stderr.strip().rpartition(chr(10))[2]}")
    return float(done.stdout.split()[-1])


def _limber_streams(address: str, desired: np.ndarray) -> tuple[float, int, int]:
    """Sends the motion with Limber's worker, with velocities and accelerations as live movers have them;
    returns the time [s] at which it began, and the numbers of lost and sent commands. Raises RuntimeError if
    the worker stops with a fault.
    """
    joints = desired.copy()
    joints[:, 7:] *= -1.0  # antennas rotate in the opposite direction in the URDF
    velocity = np.gradient(joints, axis=0)
    acceleration = np.gradient(velocity, axis=0)
    frames = [tuple(map(Kinematic, *triple)) for triple in zip(joints, velocity, acceleration, strict=True)]
    link = WorkerLink(reachy_device(Limits(-3.2, 3.2, 8.0, 60.0, 600.0), port=address))
    link.open()
    still = tuple(map(Kinematic, joints[0]))
    try:
        while link.status().state is not State.ARMED:
            status = link.status()
            if status.state is State.DISARMED:
                link.arm()
            elif status.state is State.FAULT:
                if status.fault is not Fault.SILENT:
                    raise RuntimeError(status.sentence)
                link.clear_fault()
            link.send(still)
            time.sleep(0.02)
        before = link.status()
        begun = time.time()
        for k, frame in enumerate(frames):
            link.send(frame)
            time.sleep(max(0.0, begun + (k + 1) / FPS - time.time()))
        after = link.status()
        if after.state is not State.ARMED:
            raise RuntimeError(after.sentence)
        return begun, after.lost - before.lost, after.sent - before.sent
    finally:
        link.close()


def _line(name: str, errors: np.ndarray) -> str:
    return (
        f"{name:42} median {np.median(errors):.1e}, 99% {np.percentile(errors, 99):.1e}, largest"
        f" {errors.max():.1e} rad"
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--kinematics", type=int, metavar="POSES", default=0)
    ask.add_argument("--away", type=int, metavar="POSES", default=0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--daemon", type=float, metavar="SECONDS", default=0.0)
    ask.add_argument("--massless", action="store_true")
    options = ask.parse_args()
    if not IS_THERE:
        print(f"skipped: {MISSING}")
        return
    if options.kinematics:
        errors = kinematics(options.kinematics, options.seed)
        print(_line("Limber against the maker", errors["limber"]))
        print(_line("closed form on the URDF against the maker", errors["exact"]))
        print(_line("Limber against the closed form", errors["solver"]))
    if options.away and find_spec("scipy") is None:
        print("skipped: --away needs SciPy: pip install scipy")
    elif options.away:
        found_poses = reach(options.away, options.seed)
        gaps = np.array([pose.error - pose.nearest for pose in found_poses])
        apart = np.array([pose.apart for pose in found_poses])[gaps > NEARER]
        farthest = apart.max(0) if len(apart) else np.zeros(2)
        told, settled, flipped = (
            sum(getattr(pose, name) for pose in found_poses)
            for name in ("is_told", "has_settled", "has_flipped")
        )
        print(
            f"{len(found_poses)} poses out of reach: {told} told by motor, {settled} settled, {flipped}"
            " flipped"
        )
        print(
            f"{len(found_poses) - len(apart)} are the nearest pose, the others are up to"
            f" {1e3 * farthest[0]:.2f} mm, {math.degrees(farthest[1]):.2f} degrees from it; farther from the"
            f" request by {max(gaps.max(), 0.0):.1e} (sizes, rad) at most"
        )
    if options.daemon:
        told = through_the_daemon(options.daemon, options.massless)
        limber, maker = (1e3 * min(row[name] for row in told) for name in ("limber", "maker"))
        print(f"{sum(row['sent'] for row in told):.0f} orders, {sum(row['lost'] for row in told):.0f} lost")
        print(
            f"lag: Limber {limber:.1f} ms, the maker's client {maker:.1f} ms, added {limber - maker:.1f} ms"
            f" (least of {len(told)} rounds)"
        )


if __name__ == "__main__":
    main()
