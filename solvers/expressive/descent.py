"""Gauss-Newton steps on shape and aim for many candidate configurations at once, with limits by an active set. Knows no Blender."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..aim_residual import LARGEST_TURN
from ..kinematics.skeleton import Angles
from .aims import BatchedAim, Rolls
from .model import Authored, Indices, Model, Poses, System

Flags = npt.NDArray[np.bool_]
# [1/rad] weight of the aim against the directions of links: leaves little for the exact correction, and its square costs no digits
AIM_WEIGHT = 30.0
LEAST_PROXIMAL = 1e-3  # weight of the movement where the aim alone counts: a ten thousandth of its error is left
PASSES = 4  # iterations of the active set in one step; what is left is corrected in the next step
FIRST_PASSES = 2  # the same for many candidates, most of which are given up
STIFFNESS = 1e12  # of a joint held at a bound, times the matrix's largest diagonal entry: rounding is all that it moves
RELEASE_TOLERANCE = 1e-9  # of the largest gradient entry: a smaller multiplier keeps a joint at its bound


@dataclass(frozen=True)
class StepSettings:
    """How large a step may be."""

    proximal: float  # weight of the squared joint movement against the squared differences of directions
    largest_step: float  # [rad] of any joint
    passes: int = PASSES


class Candidates(NamedTuple):
    """Candidate configurations (m of them) with all that a step needs."""

    poses: Poses
    desired: Angles  # (m, l, 3) authored directions after the best-fit rotation
    cosine: Angles  # (m,) mean cosine of shape deviation, less the loss of rolls
    error: Angles  # (m, 3) aim error vectors
    columns: Angles  # (m, n, 3) Jacobian columns of the aim
    aim_error: Angles  # (m,) [rad] size of the aim error
    sides: Angles | None  # (m,) side of a symmetric end, +1 or -1; None: the nearer one

    @property
    def angles(self) -> Angles:
        return self.poses.angles

    @property
    def merit(self) -> Angles:
        """Cost (m,), lower is better: mean squared difference of directions plus the weighted aim error."""
        share = len(self.desired[0])
        return 2.0 * (1.0 - self.cosine) + AIM_WEIGHT * self.aim_error / share

    def pick(self, candidates: Indices) -> "Candidates":
        sides = None if self.sides is None else self.sides[candidates]
        error, columns, aim_error = self.error[candidates], self.columns[candidates], self.aim_error[candidates]
        return Candidates(self.poses.pick(candidates), self.desired[candidates], self.cosine[candidates], error, columns, aim_error, sides)


class StepGoal(NamedTuple):
    """Objectives of one step of guided candidates."""

    toward: Angles  # (m, n) desired movement of the joints
    shape: Angles  # (m,) weight of the shape, 0 to 1
    aim: Angles  # (m,) weight of the aim, 0 to 1
    proximal: Angles  # (m,) weight of the squared difference from the desired movement
    lower: Angles  # (m, n) bounds on the angles
    upper: Angles


class Descent:
    """Minimises shape deviation while it holds the aim, by Gauss-Newton steps."""

    def __init__(self, model: Model, authored: Authored, aim: BatchedAim) -> None:
        self.model, self.authored, self.aim = model, authored, aim
        self.rolls = Rolls(model, authored, aim.goal)

    def at(self, angles: Angles, sides: Angles | None) -> Candidates:
        """Candidates at angles (m, n)."""
        poses = self.model.poses(angles)
        cosine, desired = self.authored.fit(poses)
        if self.rolls:
            cosine = cosine - self.rolls.loss(poses)
        errors = self.aim.evaluate(poses, sides)
        return Candidates(poses, desired, cosine, errors.error, errors.columns, errors.size, sides)

    def step(self, candidates: Candidates, settings: StepSettings, lower: Angles | None = None, upper: Angles | None = None) -> Candidates:
        """The candidates after one step within `lower` and `upper`; None: the joint limits."""
        return self.at(self.stepped(candidates, settings, lower, upper), candidates.sides)

    def stepped(self, candidates: Candidates, settings: StepSettings, lower: Angles | None = None, upper: Angles | None = None) -> Angles:
        """Angles (m, n) after one step; arguments as for `step`."""
        model = self.model
        least: Angles = model.lower if lower is None else lower
        most: Angles = model.upper if upper is None else upper
        system = self._shape(candidates)
        ridge: Angles = np.diag(settings.proximal / model.scale**2)
        matrix: Angles = system.matrix + AIM_WEIGHT**2 * (candidates.columns @ candidates.columns.transpose(0, 2, 1)) + ridge
        descent: Angles = system.descent + aim_gradient(candidates)
        move = boxed(matrix, descent, least - candidates.angles, most - candidates.angles, settings.passes)
        size = np.abs(move / model.scale).max(1)
        move = move * np.minimum(1.0, settings.largest_step / np.maximum(size, settings.largest_step))[:, None]
        angles: Angles = np.clip(candidates.angles + move, least, most)
        return angles

    def toward_aim(self, candidates: Candidates) -> Candidates:
        """The candidates after the least change that meets their aim, as far as its linear model holds, whatever their shape."""
        m, lower, upper = len(candidates.angles), self.model.lower, self.model.upper
        none, bounds = np.zeros_like(candidates.angles), np.broadcast_to([[lower], [upper]], (2, m, len(lower)))
        goal = StepGoal(none, none[:, 0], none[:, 0] + 1.0, none[:, 0] + LEAST_PROXIMAL, *bounds)
        return self.at(self.guided(candidates, goal), candidates.sides)

    def _shape(self, candidates: Candidates) -> System:
        """Gauss-Newton system of the shape, with preferred rolls."""
        system = self.authored.system(candidates.poses, candidates.desired)
        return self.rolls.added(candidates.poses, system) if self.rolls else system

    def guided(self, candidates: Candidates, step_goal: StepGoal) -> Angles:
        """Angles (m, n) after one step toward `step_goal`."""
        angles: Angles = np.clip(candidates.angles + step_goal.toward, step_goal.lower, step_goal.upper)
        # candidates without shape and aim make exactly the desired movement
        bound = np.flatnonzero((step_goal.shape > 0.0) | (step_goal.aim > 0.0))
        if not len(bound):
            return angles
        candidates = candidates.pick(bound) if len(bound) < len(angles) else candidates
        toward_bound, aim, least, most = step_goal.toward[bound], step_goal.aim[bound], step_goal.lower[bound], step_goal.upper[bound]
        ridge: Angles = step_goal.proximal[bound, None] / self.model.scale**2
        matrix: Angles = (AIM_WEIGHT**2 * aim)[:, None, None] * (candidates.columns @ candidates.columns.transpose(0, 2, 1))
        pulled: Angles = aim_gradient(candidates) * aim[:, None]
        descent: Angles = pulled + ridge * toward_bound
        diagonal = np.arange(matrix.shape[1])
        matrix[:, diagonal, diagonal] += ridge
        shaped = np.flatnonzero(step_goal.shape[bound])
        if len(shaped):
            weight: Angles = step_goal.shape[bound][shaped]
            some = candidates.pick(shaped)
            system = self._shape(some)
            matrix[shaped] += system.matrix * weight[:, None, None]
            descent[shaped] += system.descent * weight[:, None]
        angles[bound] = np.clip(
            candidates.angles + boxed(matrix, descent, least - candidates.angles, most - candidates.angles), least, most
        )
        return angles


def aim_gradient(candidates: Candidates) -> Angles:
    """Negative gradient (m, n) of the weighted aim error, with errors clipped to what one step can correct."""
    clip = np.minimum(1.0, LARGEST_TURN / np.maximum(candidates.aim_error, LARGEST_TURN))
    pull: Angles = candidates.error * (AIM_WEIGHT**2 * clip)[:, None]
    pulled: Angles = (candidates.columns @ pull[:, :, None])[:, :, 0]
    return pulled


def boxed(matrix: Angles, descent: Angles, least: Angles, most: Angles, passes: int = PASSES) -> Angles:
    """Moves (m, n) that minimise x' H x / 2 - descent' x between bounds, by an active set.

    Joints that an iteration carries over a bound are fixed there and the others are solved again; joints whose multiplier has changed sign
    are released. Bounds of zero that the descent presses against are active from the start.

    Args:
        matrix: H (m, n, n), positive definite.
        descent: (m, n).
        least: Lower bounds (m, n).
        most: Upper bounds (m, n).
        passes: Iterations at most.
    """
    answer, rows = np.empty_like(descent), np.arange(len(descent))
    # a bound of exactly 0 is a joint at its limit; a moving joint's bounds are not 0
    held = ((least == 0.0) & (descent < 0.0)) | ((most == 0.0) & (descent > 0.0))
    fixed = np.zeros_like(descent)
    for left in reversed(range(passes)):
        move = _solved(matrix, descent, held, fixed)
        over = ((move < least) | (move > most)) & ~held
        changed = over
        if left and held.any():  # in the last pass none is released, so that the active set cannot cycle
            released = held & _is_released(matrix, descent, move, least, most)
            changed = over | released
        goes_on = changed.any(1)
        if not goes_on.any():
            answer[rows] = move
            return answer
        held = (held ^ changed)[goes_on]
        fixed = np.where(held, np.where(over, np.minimum(np.maximum(move, least), most), fixed)[goes_on], 0.0)
        answer[rows] = np.minimum(np.maximum(move, least), most)
        matrix, descent, least, most, rows = matrix[goes_on], descent[goes_on], least[goes_on], most[goes_on], rows[goes_on]
    return answer


def _solved(matrix: Angles, descent: Angles, held: Flags, fixed: Angles) -> Angles:
    """The minima (m, n) with held joints at `fixed` and the others free."""
    if not held.any():
        return np.asarray(np.linalg.solve(matrix, descent[:, :, None]))[:, :, 0]
    stiff = matrix.copy()
    diagonal = stiff.reshape(len(matrix), -1)[:, :: matrix.shape[1] + 1]
    stiffness = STIFFNESS * diagonal.max(1, keepdims=True)
    diagonal += held * stiffness
    move = np.linalg.solve(stiff, np.where(held, fixed * stiffness, descent)[:, :, None])[:, :, 0]
    return np.where(held, fixed, move)


def _is_released(matrix: Angles, descent: Angles, move: Angles, least: Angles, most: Angles) -> Flags:
    """Which joints (m, n), if at a bound, have a multiplier that points inside."""
    pressed = descent - (matrix @ move[:, :, None])[:, :, 0]
    tolerance = RELEASE_TOLERANCE * np.abs(descent).max(1, keepdims=True)
    back = ((move >= most) & (pressed < -tolerance)) | ((move <= least) & (pressed > tolerance))
    return np.asarray(back & (most > least))


ROOT_TURNS = 8  # root angles of the posture, and of its mirror image
SPREAD = 24  # starting configurations spread evenly over the joints' ranges
NEAR_SHARES = (0.05, 0.35, 0.65, 0.95)  # of a joint's range: where single joints are put by `near`
PARALLEL = 0.5  # squared cosine from which an axis counts as parallel to the base's: mirroring keeps such joints


class Seeds:
    """Starting configurations for one skeleton."""

    def __init__(self, model: Model, spread: int = SPREAD) -> None:
        self.model = model
        n = len(model.lower)
        # Spread: the additive recurrence on powers of the generalised golden ratio (Roberts 2018), always the same.
        ratio = 2.0
        for _ in range(64):  # the root of x^(n + 1) = x + 1
            ratio = (1.0 + ratio) ** (1.0 / (n + 1))
        fractions = (0.5 + np.arange(1, spread + 1)[:, None] * ratio ** -np.arange(1.0, n + 1)) % 1.0
        self.spread = model.lower + (model.upper - model.lower) * fractions
        at_rest = model.poses(np.zeros((1, n)))
        twisters = (at_rest.axes[0] @ model.base_axis) ** 2 > PARALLEL
        # Half a turn of the root and every bend reversed is the same shape in other angles, where twists in between allow it.
        self._mirror = np.where(twisters | (model.turns == 0.0), 1.0, -1.0)
        self._turns = (np.arange(ROOT_TURNS) + 0.5) / ROOT_TURNS
        self._turns[0] = np.nan  # the posture's own root angle

    def around(self, posture: Angles) -> Angles:
        """Configurations (s, n) for a posture (n,) within limits; the first is the posture itself."""
        model = self.model
        root = model.lower[0] + (model.upper[0] - model.lower[0]) * self._turns
        root = np.where(np.isnan(root), posture[0], root)
        own = np.repeat(posture[None], ROOT_TURNS, 0)
        mirrored = np.repeat(np.clip(posture * self._mirror, model.lower, model.upper)[None], ROOT_TURNS, 0)
        own[:, 0] = mirrored[:, 0] = root
        return np.concatenate([own, mirrored, self.spread])

    def near(self, angles: Angles) -> Angles:
        """Configurations (s, n) that differ from `angles` (n,) in one joint each."""
        model, n = self.model, len(angles)
        starts = np.repeat(angles[None], len(NEAR_SHARES) * n, 0)
        for index, share in enumerate(NEAR_SHARES):
            candidates = np.arange(index * n, (index + 1) * n)
            starts[candidates, np.arange(n)] = model.lower + share * (model.upper - model.lower)
        return starts
