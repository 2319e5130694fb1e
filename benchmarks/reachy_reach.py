"""Checks whether Limber finds the nearest pose to head poses that Reachy Mini cannot reach, with an optimiser
that shares no code with Limber.

The unknowns are the seven motors and the head's pose; each rod's length is an equation, each motor's limits
are bounds. SciPy's SLSQP starts from Limber's pose, from neutral, and from random ones. A pose counts only
if, starting from neutral, no horn has passed its dead centre and the head has not passed a singular pose:
other poses are assemblies that a motion does not reach.
"""

import math
from dataclasses import dataclass

import numpy as np
from limber.robots.reading import read
from limber.solvers.kinematics.rotations import Quaternion, exponential, from_matrix, logarithm, to_matrix
from limber.solvers.mechanism.solution import SolveReport

from .reachy_kinematics import NEUTRAL, URDF, ClosedForm, Platform, poses

NEARER = 1e-5  # [sizes or rad] smallest difference of distances by which another pose counts as nearer
CLOSED = 1e-8  # [squared sizes] tolerance of a rod's equation
SETTLED = 1e-10  # change of the squared error in a frame below which Limber's pose has settled
FRAMES = 200  # largest number of frames until Limber's pose has settled
LEGS = range(1, 7)  # numbers of the platform's six legs


@dataclass(frozen=True)
class Reach:
    """Result for one pose out of reach.

    Attributes:
        error: Distance of Limber's pose from the requested one: root of the sum of squares [sizes and rad].
        nearest: Least distance found by the optimiser, in the same unit.
        apart: Distance [m] and angle [rad] between these two poses.
        is_told: Whether Limber reports a motor at its limit.
        has_settled, has_flipped: Whether Limber's pose came to rest, and whether its assembly mode changed.
    """

    error: float
    nearest: float
    apart: tuple[float, float]
    is_told: bool
    has_settled: bool
    has_flipped: bool


class Nearest:
    """The optimiser. A point (13,) consists of the six motor angles and the body's yaw [rad], then the head's
    position [sizes] and rotation vector [rad], relative to the requested pose.
    """

    def __init__(self, platform: Platform, form: ClosedForm) -> None:
        self.size = platform.size
        legs = [form.leg(leg) for leg in LEGS]
        self.horns, self.tips, self.anchors = (np.array([leg[k] for leg in legs]) for k in range(3))
        self.rods = np.array([leg[3] for leg in legs])
        self.bounds = [*form.limits, *[(None, None)] * 6]
        self.draw = np.random.default_rng(5)
        platform.state = platform.neutral
        self.neutral = platform.motors(np.eye(4), 0.0)
        self.horn_signs, self.head_sign = self._signs(np.concatenate((self.neutral, np.zeros(7))), np.eye(4))

    def least(self, solved: np.ndarray, head: np.ndarray, yaw: float, tries: int) -> np.ndarray:
        """The point with the least error, of Limber's point `solved` and of the optimiser's results that a
        motion from neutral reaches. It starts from `solved`, from neutral, and from `tries` random points;
        `head` (4, 4) and `yaw` [rad] are the requested pose.
        """
        from scipy.optimize import minimize

        best = solved
        low, high = np.array(self.bounds[:7]).T
        for start in self._starts(solved, head, yaw, tries):
            start[:7] = np.clip(start[:7], low, high)
            closed = {"type": "eq", "fun": self._gaps, "args": (head,)}
            options = {"maxiter": 300, "ftol": 1e-14}
            minimum = minimize(
                self.square,
                start,
                (yaw,),
                "SLSQP",
                self._slope,
                bounds=self.bounds,
                constraints=[closed],
                options=options,
            ).x
            if np.abs(self._gaps(minimum, head)).max() > CLOSED or self.square(minimum, yaw) >= self.square(
                best, yaw
            ):
                continue
            horns, sign = self._signs(minimum, head)
            if (horns * self.horn_signs > -1e-6).all() and sign * self.head_sign > 0.0:
                best = minimum
        return best

    def square(self, point: np.ndarray, yaw: float) -> float:
        """Squared error of the goals, as Limber counts it: position, half-angle of the rotation, yaw."""
        position, angle = point[7:10], float(np.linalg.norm(point[10:]))
        return float(position @ position) + 4.0 * math.sin(0.5 * angle) ** 2 + (point[6] - yaw) ** 2

    def _slope(self, point: np.ndarray, yaw: float) -> np.ndarray:
        angle = float(np.linalg.norm(point[10:]))
        return np.concatenate(
            (
                np.zeros(6),
                [2.0 * (point[6] - yaw)],
                2.0 * point[7:10],
                2.0 * np.sinc(angle / math.pi) * point[10:],
            )
        )

    def _starts(self, solved: np.ndarray, head: np.ndarray, yaw: float, tries: int) -> list[np.ndarray]:
        away = logarithm(from_matrix((head[:3, :3].T @ to_matrix(exponential((0.0, 0.0, yaw)))).tolist()))
        starts = [solved.copy(), np.concatenate((self.neutral, [yaw], -head[:3, 3] / self.size, away))]
        for _ in range(tries):
            start = solved.copy()
            start[:7] = [self.draw.uniform(*bounds) for bounds in self.bounds[:6]] + [
                yaw + 0.3 * self.draw.normal()
            ]
            start[7:] = solved[7:] * self.draw.uniform(-1.0, 2.0) + 0.3 * self.draw.normal(size=6)
            starts.append(start)
        return starts

    def _rods(self, point: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rods (6, 3) from horn to head, derivatives (6, 3) of the horns' tips with respect to the motors,
        and anchors on the head relative to its origin (6, 3), all [m].
        """
        cos, sin = np.cos(point[:6]), np.sin(point[:6])
        x, y, z = self.tips.T
        tips, moves = (
            np.stack((cos * x - sin * y, sin * x + cos * y, z), 1),
            np.stack((-sin * x - cos * y, cos * x - sin * y, 0.0 * z), 1),
        )
        body = np.array(to_matrix(exponential((0.0, 0.0, float(point[6])))))
        horn_rotations = body @ self.horns[:, :3, :3]
        tips = (horn_rotations @ tips[:, :, None])[:, :, 0] + self.horns[:, :3, 3] @ body.T
        head_rotation = head[:3, :3] @ np.array(to_matrix(exponential(tuple(point[10:]))))
        head_position = head[:3, 3] + (0.0, 0.0, NEUTRAL) + self.size * point[7:10]
        anchors = self.anchors @ head_rotation.T
        return head_position + anchors - tips, (horn_rotations @ moves[:, :, None])[:, :, 0], anchors

    def _gaps(self, point: np.ndarray, head: np.ndarray) -> np.ndarray:
        rods, *_ = self._rods(point, head)
        return ((rods * rods).sum(1) - self.rods**2) / self.size**2

    def _signs(self, point: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, float]:
        """Cosines (6,) of the angles between rods and the motions of their lower ends, 0 at a dead centre;
        and the determinant of the rods' wrenches on the head.
        """
        rods, moves, anchors = self._rods(point, head)
        horns = (rods * moves).sum(1) / self.rods / np.linalg.norm(moves, axis=1)
        pulls = np.concatenate((rods, np.cross(anchors, rods) / self.size), 1) / self.rods[:, None]
        return horns, float(np.linalg.det(pulls))


def reach(count: int, seed: int = 1, tries: int = 4) -> list[Reach]:
    """Results for random poses that the maker's kinematics does not reach within the motors' limits."""
    robot = read(URDF, for_mechanism=True)
    platform, form = Platform(robot), ClosedForm(robot)
    nearest = Nearest(platform, form)
    outcomes = []
    for row in poses(count, seed, is_away=True):
        head, yaw = np.array(row["head"]), row["yaw"]
        solved, report, has_settled, has_flipped = _settled(platform, nearest, head, yaw)
        best = nearest.least(solved, head, yaw, tries)
        rotations = [np.array(to_matrix(exponential(tuple(point[10:])))) for point in (solved, best)]
        apart = (
            nearest.size * float(np.linalg.norm(solved[7:10] - best[7:10])),
            float(np.linalg.norm(_turned(rotations[0].T @ rotations[1]))),
        )
        errors = (math.sqrt(nearest.square(point, yaw)) for point in (solved, best))
        outcomes.append(Reach(*errors, apart, bool(report.at_limits), has_settled, has_flipped))
    return outcomes


def _settled(
    platform: Platform, nearest: Nearest, head: np.ndarray, yaw: float
) -> tuple[np.ndarray, SolveReport, bool, bool]:
    """Limber's point, its last report, whether it came to rest, and whether its assembly mode changed, after
    steps from neutral and frames with a constant goal.
    """
    platform.approach(head, yaw)
    flipped = platform.has_flipped
    before = math.inf
    for _ in range(FRAMES):
        motors = platform.motors(head, yaw)
        flipped |= platform.has_flipped
        pose = platform.head()
        position = (pose[:3, 3] - head[:3, 3] - (0.0, 0.0, NEUTRAL)) / platform.size
        solved = np.concatenate((motors, [platform.yaw()], position, _turned(head[:3, :3].T @ pose[:3, :3])))
        error = nearest.square(solved, yaw)
        if abs(before - error) < SETTLED:
            return solved, platform.report, True, flipped
        before = error
    return solved, platform.report, False, flipped


def _turned(rotation: np.ndarray) -> Quaternion:
    return logarithm(from_matrix(rotation.tolist()))
