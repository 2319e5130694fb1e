"""Motor angles of Reachy Mini's head by Limber, in closed form, and by the maker's own inverse kinematics,
for the same poses.
"""

import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from limber.robots.closures import mechanism_of
from limber.robots.marks import closures_text
from limber.robots.model import Robot
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import exponential, from_matrix, logarithm, to_matrix
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.solver import MechanismSolver

from tests.makers.reachy import PYTHON, environment

ROOT = Path(__file__).resolve().parents[1]
URDF = ROOT / "robots" / "gallery" / "reachy_mini" / "robot.urdf"
NEUTRAL = 0.177  # [m] height of the head in the neutral pose
# number of steps from neutral to a pose, one second of frames; with 24, one of 500 poses stays at a motor's
# limit on the path, which is reported
STEPS = 60

POSES = """
import json, sys
import numpy as np
from reachy_mini.kinematics import AnalyticalKinematics

def rotation(roll, pitch, yaw):
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x

count, seed, is_away = map(int, sys.argv[1:])
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
    exists = motors is not None and np.isfinite(motors).all()
    within = exists and ((motors >= low) & (motors <= high))[1:].all()
    if is_away:
        if exists == (len(found) % 2 == 0) and not within:  # beyond the motors' limits, and without any solution, by turns
            found.append({"head": head.tolist(), "yaw": yaw})
    elif within:
        found.append({"head": head.tolist(), "yaw": yaw, "motors": np.asarray(motors)[1:].tolist()})
print(json.dumps(found))
"""


class Platform:
    """The head's platform in Limber: motor angles for poses of the head."""

    def __init__(self, robot: Robot) -> None:
        self._solver = MechanismSolver(mechanism_of(robot, closures_text(robot), robot.file))
        self.state = self.neutral = assemble(self._solver, None, Goals()).state
        self.size = self._solver.tree.size  # [m] length that counts as one radian
        self.has_flipped = False  # whether the assembly mode has changed since `approach` began
        for _ in range(3):
            self.motors(np.eye(4), 0.0)
        self.neutral = self.state

    def motors(self, head: np.ndarray, yaw: float) -> np.ndarray:
        """Motor angles (6,) [rad] for a head pose in the maker's convention, starting from the last
        solution.
        """
        pose = FrameGoal(
            "head",
            position=(head[0, 3], head[1, 3], head[2, 3] + NEUTRAL),
            rotation=from_matrix(head[:3, :3].tolist()),
        )
        solution = self._solver.solve(Goals(frames=(pose,), actuators={"yaw_body": (yaw,)}), self.state, 1.0)
        self.state, self.report = solution.state, solution.report
        self.has_flipped |= solution.report.flipped
        return np.array([self._solver.values(self.state, f"stewart_{leg}")[0] for leg in range(1, 7)])

    def head(self) -> np.ndarray:
        """Current pose (4, 4) of the head in the base's frame."""
        pose: np.ndarray = self._solver.poses(self.state)[self._solver.mechanism.body_index["head"]]
        return pose

    def yaw(self) -> float:
        """Current yaw of the body [rad]."""
        return self._solver.values(self.state, "yaw_body")[0]

    def approach(self, head: np.ndarray, yaw: float) -> np.ndarray:
        """Motor angles (6,) [rad] for a pose `head` (4, 4) of the head and a `yaw` [rad] of the body, as from
        `motors`, approached from neutral in steps.
        """
        self.state, self.has_flipped = self.neutral, False
        turned = logarithm(from_matrix(head[:3, :3].tolist()))
        angles = np.zeros(6)
        for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
            step = np.eye(4)
            step[:3, :3] = to_matrix(exponential((share * turned[0], share * turned[1], share * turned[2])))
            step[:3, 3] = share * head[:3, 3]
            angles = self.motors(step, share * yaw)
        return angles


class ClosedForm:
    """Motor angles in closed form from the URDF's geometry: intersection of two circles."""

    def __init__(self, robot: Robot) -> None:
        self._robot, self._tree = robot, build_tree(robot)
        self._child = {joint.name: joint.child for joint in robot.joints}

    @property
    def limits(self) -> list[tuple[float, float]]:
        """Lowest and highest angle [rad] of the six motors and of the body's yaw."""
        joints = {joint.name: joint for joint in self._robot.joints}
        names = (*(f"stewart_{leg}" for leg in range(1, 7)), "yaw_body")
        return [(float(joints[name].lower), float(joints[name].upper)) for name in names]

    def leg(self, leg: int, yaw: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Frame (4, 4) of a leg's horn in the base's frame, the rod's lower end in the horn's frame and its
        upper end in the head's (3,) [m], and its length [m]. Legs are numbered from 1; `yaw` [rad] is the
        body's.
        """
        frames = dict(
            zip(
                (branch.link for branch in self._tree.branches),
                self._tree.frames({"yaw_body": yaw}),
                strict=True,
            )
        )

        def matrix(link: str) -> np.ndarray:
            transform = np.eye(4)
            transform[:3, :3], transform[:3, 3] = to_matrix(frames[link].rotation), frames[link].offset
            return transform

        ball = matrix(self._child[f"passive_{leg}_x"])[:, 3]
        anchor = matrix(f"closing_{leg}_2" if leg < 6 else self._child["passive_7_x"])[:, 3]
        end = matrix(f"closing_{leg}_1")[:, 3] if leg < 6 else anchor
        horn = matrix(self._child[f"stewart_{leg}"])
        rod = float(np.linalg.norm((end - ball)[:3]))
        return horn, (np.linalg.inv(horn) @ ball)[:3], (np.linalg.inv(matrix("head")) @ anchor)[:3], rod

    def motors(self, head: np.ndarray, yaw: float, near: np.ndarray) -> np.ndarray:
        """Motor angles (6,) [rad] for a pose `head` (4, 4) in the maker's convention and a `yaw` [rad] of the
        body; of the two solutions of each leg, the one nearer to `near` (6,). If a leg has none, its angle is
        the one at which it comes nearest to one.
        """
        pose = head.copy()
        pose[2, 3] += NEUTRAL
        angles = []
        for leg, guess in enumerate(near, 1):
            horn, tip, anchor, rod = self.leg(leg, yaw)
            x, y, z, _ = np.linalg.inv(horn) @ pose @ (*anchor, 1.0)
            along, across = 2.0 * (tip[0] * x + tip[1] * y), 2.0 * (tip[0] * y - tip[1] * x)
            constant = tip @ tip + x * x + y * y + z * z - 2.0 * tip[2] * z - rod * rod
            middle, aside = (
                math.atan2(across, along),
                math.acos(min(max(constant / math.hypot(along, across), -1.0), 1.0)),
            )
            angles.append(
                min(
                    (_wrap(middle + aside), _wrap(middle - aside)),
                    key=lambda angle: abs(_wrap(angle - guess)),
                )
            )
        return np.array(angles)


def _wrap(angle: float) -> float:
    return (angle + math.pi) % math.tau - math.pi


def poses(count: int, seed: int, is_away: bool) -> list[dict]:
    """Random head poses (4, 4) and body yaws [rad]: ones that the maker's kinematics reaches within the
    motors' limits, with its motor angles (6,) [rad]; or, with `is_away`, ones that are beyond these limits
    and ones that have no solution, by turns.
    """
    with tempfile.TemporaryDirectory() as home:
        command = [str(PYTHON), "-c", POSES, str(count), str(seed), str(int(is_away))]
        done = subprocess.run(
            command, env=environment(Path(home)), capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def kinematics(count: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Largest motor errors (count,) [rad] of each pose: "limber" and "exact", of Limber and of the closed
    form relative to the maker, and "solver", of Limber relative to the closed form.
    """
    robot = read(URDF, for_mechanism=True)
    platform, exact = Platform(robot), ClosedForm(robot)
    errors: dict[str, list[float]] = {"limber": [], "exact": [], "solver": []}
    for row in poses(count, seed, is_away=False):
        head, yaw, maker = np.array(row["head"]), row["yaw"], np.array(row["motors"])
        solved, best = platform.approach(head, yaw), exact.motors(head, yaw, maker)
        for name, angles, reference in (
            ("limber", solved, maker),
            ("exact", best, maker),
            ("solver", solved, best),
        ):
            errors[name].append(max(abs(_wrap(angle)) for angle in angles - reference))
    return {name: np.array(values) for name, values in errors.items()}
