"""Reachy Mini against its maker's own software, which scripts/makers.sh installs.

    python -m benchmarks.reachy --kinematics 500    motors for head poses, beside the maker's inverse kinematics
    python -m benchmarks.reachy --daemon 60         a minute of motion through the daemon's real backend onto simulated servos

--kinematics  Random head poses and body yaws that the maker's kinematics reaches within the motors' limits. Limber's model is the URDF
              with the closures that its import finds; each pose is reached from neutral in steps. The closed form is of the same URDF's
              geometry: no solver of that file can be nearer to the maker.
--daemon      Limber's worker and the maker's client send the same motion of head, body and antennas, by turns. The lag is that of the
              positions that the daemon publishes behind the motion, where they fit best: the median of the motors.
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
from pathlib import Path

import numpy as np
from limber.hardware.link import Link
from limber.hardware.protocols.reachy_mini.messages import JointPositions, decode
from limber.hardware.protocols.reachy_mini.websocket import WebSocket
from limber.hardware.safety import Fault, State
from limber.motion import Kinematic, Limits
from limber.robots.closures import mechanism_of
from limber.robots.marks import closures_text
from limber.robots.model import Robot
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import exponential, from_matrix, logarithm, to_matrix
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.solver import MechanismSolver

from tests.hardware.reachy_daemon import reachy_device
from tests.hardware.served_bus import ServedBus
from tests.makers.reachy import IS_THERE, MISSING, PYTHON, MakersDaemon, environment

ROOT = Path(__file__).resolve().parents[1]
URDF = ROOT / "robots" / "gallery" / "reachy_mini" / "robot.urdf"
NEUTRAL = 0.177  # [m] height of the head in neutral
STEPS = 24  # from neutral to a pose; with half as many 2 of 500 end at the motors' limits on the way, which is told
FPS = 60  # frames a second that Limber is given
CLIENT = 50  # orders a second of the maker's client
ROUND = 20.0  # [s] for which either sends before it is the other's turn
TRIES = 4  # times as many rounds: where cores are busy the daemon says nothing for so long that Limber stops
SETTLE = 3.0  # [s] of motion before the lag is measured
OFFSETS = (0, 1024, -1024, 1024, -1024, 1024, -1024, 0, 0)  # [steps] homing offsets that the daemon writes into the servos

POSES = """
import json, sys
import numpy as np
from reachy_mini.kinematics import AnalyticalKinematics

def rotation(roll, pitch, yaw):
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x

count, seed = map(int, sys.argv[1:])
draw = np.random.default_rng(seed)
low = np.radians([0, -48, -80, -48, -80, -70, -80])
high = np.radians([0, 80, 70, 80, 48, 80, 48])
found = []
while len(found) < count:
    head = np.eye(4)
    yaw = np.radians(draw.uniform(-160, 160))
    head[:3, :3] = rotation(*np.radians(draw.uniform([-40, -40], [40, 40])), yaw + np.radians(draw.uniform(-65, 65)))
    head[:3, 3] = draw.uniform(-0.03, 0.03, 3)
    maker = AnalyticalKinematics(automatic_body_yaw=False)
    motors = maker.ik(head, body_yaw=yaw)
    if motors is not None and np.isfinite(motors).all() and ((motors >= low) & (motors <= high))[1:].all():
        found.append({"head": head.tolist(), "yaw": yaw, "motors": np.asarray(motors)[1:].tolist()})
print(json.dumps(found))
"""

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


class Platform:
    """The head's platform in Limber: motors for poses of the head."""

    def __init__(self, robot: Robot) -> None:
        self._solver = MechanismSolver(mechanism_of(robot, closures_text(robot), robot.file))
        self.state = self.neutral = assemble(self._solver, None, Goals()).state
        for _ in range(3):
            self.motors(np.eye(4), 0.0)
        self.neutral = self.state

    def motors(self, head: np.ndarray, yaw: float) -> np.ndarray:
        """Angles (6,) [rad] for a head pose as the maker counts it, followed from the last one."""
        pose = FrameGoal(
            "head",
            position=(head[0, 3], head[1, 3], head[2, 3] + NEUTRAL),
            rotation=from_matrix(head[:3, :3].tolist()),
        )
        self.state = self._solver.solve(Goals(frames=(pose,), actuators={"yaw_body": (yaw,)}), self.state, 1.0).state
        return np.array([self._solver.values(self.state, f"stewart_{leg}")[0] for leg in range(1, 7)])

    def approach(self, head: np.ndarray, yaw: float) -> np.ndarray:
        """As `motors`, from neutral in steps."""
        self.state = self.neutral
        turned = logarithm(from_matrix(head[:3, :3].tolist()))
        found = np.zeros(6)
        for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
            step = np.eye(4)
            step[:3, :3] = to_matrix(exponential((share * turned[0], share * turned[1], share * turned[2])))
            step[:3, 3] = share * head[:3, 3]
            found = self.motors(step, share * yaw)
        return found


class ClosedForm:
    """The same from the URDF's geometry in closed form: two circles that meet."""

    def __init__(self, robot: Robot) -> None:
        self._tree = build_tree(robot)
        self._child = {joint.name: joint.child for joint in robot.joints}

    def motors(self, head: np.ndarray, yaw: float, near: np.ndarray) -> np.ndarray:
        """Angles (6,) [rad], of two each that is nearer to `near`."""
        frames = dict(zip((branch.link for branch in self._tree.branches), self._tree.frames({"yaw_body": yaw}), strict=True))

        def matrix(link: str) -> np.ndarray:
            found = np.eye(4)
            found[:3, :3], found[:3, 3] = to_matrix(frames[link].rotation), frames[link].offset
            return found

        pose = head.copy()
        pose[2, 3] += NEUTRAL
        found = []
        for leg, guess in enumerate(near, 1):
            ball = matrix(self._child[f"passive_{leg}_x"])[:, 3]
            anchor = matrix(f"closing_{leg}_2" if leg < 6 else self._child["passive_7_x"])[:, 3]
            end = matrix(f"closing_{leg}_1")[:, 3] if leg < 6 else anchor
            rod = np.linalg.norm((end - ball)[:3])
            horn = np.linalg.inv(matrix(self._child[f"stewart_{leg}"]))
            tip = (horn @ ball)[:3]
            x, y, z, _ = horn @ pose @ np.linalg.inv(matrix("head")) @ anchor
            along, across = 2.0 * (tip[0] * x + tip[1] * y), 2.0 * (tip[0] * y - tip[1] * x)
            level = tip @ tip + x * x + y * y + z * z - 2.0 * tip[2] * z - rod * rod
            middle, aside = math.atan2(across, along), math.acos(min(max(level / math.hypot(along, across), -1.0), 1.0))
            found.append(min((_wrap(middle + aside), _wrap(middle - aside)), key=lambda angle: abs(_wrap(angle - guess))))
        return np.array(found)


def _wrap(angle: float) -> float:
    return (angle + math.pi) % math.tau - math.pi


def kinematics(count: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Largest error of a pose's motors (count,) [rad]: of Limber and of the closed form against the maker, and of Limber against that."""
    with tempfile.TemporaryDirectory() as home:
        command = [str(PYTHON), "-c", POSES, str(count), str(seed)]
        done = subprocess.run(command, env=environment(Path(home)), capture_output=True, text=True, check=True)
    robot = read(URDF, for_mechanism=True)
    platform, exact = Platform(robot), ClosedForm(robot)
    errors: dict[str, list[float]] = {"limber": [], "exact": [], "solver": []}
    for row in json.loads(done.stdout.splitlines()[-1]):
        head, yaw, maker = np.array(row["head"]), row["yaw"], np.array(row["motors"])
        own, best = platform.approach(head, yaw), exact.motors(head, yaw, maker)
        for name, one, other in (("limber", own, maker), ("exact", best, maker), ("solver", own, best)):
            errors[name].append(max(abs(_wrap(angle)) for angle in one - other))
    return {name: np.array(found) for name, found in errors.items()}


class Observer:
    """Records the positions that a daemon publishes, from a thread of its own."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._line = WebSocket(address, "/ws/sdk")
        self._socket.sendall(self._line.handshake)
        self.rows: list[tuple[float, ...]] = []  # [s], and the angles of body, head and antennas [rad]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while data := self._socket.recv(65536):
            now = time.time()
            for text in self._line.feed(data):
                if isinstance(joints := decode(text), JointPositions):
                    self.rows.append((now, *joints.head, *joints.antennas))
            if answers := self._line.answers():
                self._socket.sendall(answers)


def motion(seconds: float, rate: int) -> dict[str, list]:
    """Head poses, antennas [rad], body yaws [rad] and times [s]: what a character does that looks about."""
    rows: dict[str, list] = {"time": [], "head": [], "antennas": [], "yaw": []}
    for k in range(int(seconds * rate)):
        now = k / rate
        head = np.eye(4)
        turn = (0.15 * math.sin(1.7 * now), 0.18 * math.sin(2.3 * now + 1.0), 0.35 * math.sin(1.1 * now))
        head[:3, :3] = to_matrix(exponential(turn))
        head[:3, 3] = (0.006 * math.sin(0.9 * now), 0.008 * math.sin(1.3 * now), 0.005 * math.sin(2.9 * now))
        rows["time"].append(now)
        rows["head"].append(head.tolist())
        rows["antennas"].append([0.5 * math.sin(3.1 * now), -0.5 * math.sin(2.7 * now)])
        rows["yaw"].append(0.3 * math.sin(0.8 * now))
    return rows


def lag(observed: np.ndarray, begun: float, times: np.ndarray, wanted: np.ndarray) -> float:
    """Delay [s] at which the observed angles (t, 1 + n) are nearest to the wanted ones (times, n): the median of the joints."""
    inside = (observed[:, 0] > begun + SETTLE) & (observed[:, 0] < begun + times[-1] - 0.5)
    at, seen = observed[inside, 0] - begun, observed[inside, 1:]
    delays = np.arange(-0.05, 0.3, 0.0005)
    best = []
    for joint in range(wanted.shape[1]):
        misses = [float(np.mean((np.interp(at - delay, times, wanted[:, joint]) - seen[:, joint]) ** 2)) for delay in delays]
        best.append(delays[int(np.argmin(misses))])
    return float(np.median(best))


def through_the_daemon(seconds: float) -> list[dict[str, float]]:
    """Of each round: lags [s] of Limber and of the maker's client, and Limber's orders, sent and lost."""
    rounds = max(1, round(seconds / ROUND))
    rows = motion(seconds / rounds, FPS)
    platform = Platform(read(URDF, for_mechanism=True))
    motors = np.array([platform.motors(np.array(head), yaw) for head, yaw in zip(rows["head"], rows["yaw"], strict=True)])
    wanted = np.column_stack((rows["yaw"], motors, rows["antennas"]))
    times = np.array(rows["time"])
    told: list[dict[str, float]] = []
    for _ in range(TRIES * rounds):
        try:
            told.append(_round(times, wanted, motion(seconds / rounds, CLIENT)))
        except RuntimeError as error:
            print(f"a round is repeated, since other programs keep the cores busy: {error}")
        if len(told) == rounds:
            return told
    sys.exit(f"only {len(told)} of {rounds} rounds could be run to their ends: run it on an idle machine")


def _round(times: np.ndarray, wanted: np.ndarray, rows: dict[str, list]) -> dict[str, float]:
    """The maker's client and Limber once each, on a daemon of their own. RuntimeError: the daemon was held up for too long."""
    places = {10 + k: 2048.0 - offset for k, offset in enumerate(OFFSETS)}
    with tempfile.TemporaryDirectory() as home, ServedBus(places, "dynamixel") as bus, MakersDaemon(Path(home), "-p", bus.port) as daemon:
        observer = Observer(daemon.address)
        begun = _maker_streams(Path(home), daemon.address, rows)
        maker = lag(np.array(observer.rows), begun, times, wanted)
        begun, lost, sent = _limber_streams(daemon.address, wanted)
        time.sleep(0.5)
        return {"maker": maker, "limber": lag(np.array(observer.rows), begun, times, wanted), "lost": lost, "sent": sent}


def _maker_streams(home: Path, address: str, rows: dict[str, list]) -> float:
    """Let the maker's client send the motion; when it began [s]."""
    path = home / "motion.json"
    path.write_text(json.dumps({**rows, "rate": CLIENT}))
    done = subprocess.run(
        [str(PYTHON), "-c", CLIENT_CODE, str(path), address], env=environment(home), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the maker's client failed: {done.stderr.strip().rpartition(chr(10))[2]}")
    return float(done.stdout.split()[-1])


def _limber_streams(address: str, wanted: np.ndarray) -> tuple[float, int, int]:
    """Let Limber's worker send the motion, with velocities as live movers have them: when it began [s], and the orders lost and sent."""
    joints = wanted.copy()
    joints[:, 7:] *= -1.0  # the URDF's antennas
    velocity = np.gradient(joints, axis=0)
    acceleration = np.gradient(velocity, axis=0)
    frames = [tuple(map(Kinematic, *triple)) for triple in zip(joints, velocity, acceleration, strict=True)]
    link = Link(reachy_device(Limits(-3.2, 3.2, 8.0, 60.0, 600.0), port=address))
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
    return f"{name:42} median {np.median(errors):.1e}, 99% {np.percentile(errors, 99):.1e}, largest {errors.max():.1e} rad"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--kinematics", type=int, metavar="POSES", default=0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--daemon", type=float, metavar="SECONDS", default=0.0)
    asked = ask.parse_args()
    if not IS_THERE:
        print(f"skipped: {MISSING}")
        return
    if asked.kinematics:
        found = kinematics(asked.kinematics, asked.seed)
        print(_line("Limber against the maker", found["limber"]))
        print(_line("closed form on the URDF against the maker", found["exact"]))
        print(_line("Limber against the closed form", found["solver"]))
    if asked.daemon:
        told = through_the_daemon(asked.daemon)
        limber, maker = (1e3 * min(row[name] for row in told) for name in ("limber", "maker"))
        print(f"{sum(row['sent'] for row in told):.0f} orders, {sum(row['lost'] for row in told):.0f} lost")
        print(
            f"lag: Limber {limber:.1f} ms, the maker's client {maker:.1f} ms, added {limber - maker:.1f} ms (least of {len(told)} rounds)"
        )


if __name__ == "__main__":
    main()
