"""Gauss-Newton steps on shape and a heavy aim for many rows at once, within limits by an active set. Knows no Blender."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..skeleton import Angles
from .aims import BatchedAim
from .model import Authored, Indices, Model, Poses, System
from .rolls import Rolls

Flags = npt.NDArray[np.bool_]
AIM_WEIGHT = 30.0  # a radian of aim against a radian of one link: leaves little for the exact finish, and its square no digits lost
LARGEST_TURN = 0.6  # [rad] of aim that one step goes for: where the linear model still holds
PASSES = 8  # of the active set in one step: what is left over waits for the next step
LED_PASSES = 5  # where many rows are led, of which the slowest counts
LAST_PASSES = 2  # of them in which no joint is let go any more: letting go may go round in a circle
EASED = 1e-9  # of the largest descent: what presses by less presses


@dataclass(frozen=True)
class Pace:
    """How boldly to step."""

    proximal: float  # of the squared movement against the squared differences of directions
    largest_step: float  # [rad] of any joint


class Rows(NamedTuple):
    """Where rows of a descent are."""

    poses: Poses
    wanted: Angles  # (m, l, 3) authored directions, turned to fit
    cosine: Angles  # (m,) mean cosine of the shape, less what the rolls lose
    error: Angles  # (m, 3) of the aim
    columns: Angles  # (m, n, 3)
    missed: Angles  # (m,) [rad]
    sides: Angles | None  # (m,)

    @property
    def angles(self) -> Angles:
        return self.poses.angles

    @property
    def merit(self) -> Angles:
        """What rows are worth (m,), less is better: mean squared difference of directions and the heavy aim."""
        share = len(self.wanted[0])
        return 2.0 * (1.0 - self.cosine) + AIM_WEIGHT * self.missed / share

    def pick(self, rows: Indices) -> "Rows":
        sides = None if self.sides is None else self.sides[rows]
        error, columns, missed = self.error[rows], self.columns[rows], self.missed[rows]
        return Rows(self.poses.pick(rows), self.wanted[rows], self.cosine[rows], error, columns, missed, sides)


class Lead(NamedTuple):
    """What rows are after in one step."""

    toward: Angles  # (m, n) the movement that is wished for
    shape: Angles  # (m,) how much the shape counts, 0 to 1
    aim: Angles  # (m,) how much the aim counts, 0 to 1
    proximal: Angles  # (m,) of the squared difference from the wish
    lower: Angles  # (m, n)
    upper: Angles


class Descent:
    """Steps towards the least shape deviation with the aim held."""

    def __init__(self, model: Model, authored: Authored, aim: BatchedAim) -> None:
        self.model, self.authored, self.aim = model, authored, aim
        self.rolls = Rolls(model, authored, aim.goal)

    def at(self, angles: Angles, sides: Angles | None) -> Rows:
        """Rows at angles (m, n)."""
        poses = self.model.poses(angles)
        cosine, wanted = self.authored.fit(poses)
        if self.rolls:
            cosine = cosine - self.rolls.lost(poses)
        missed = self.aim.missed(poses, sides)
        return Rows(poses, wanted, cosine, missed.error, missed.columns, missed.size, sides)

    def step(self, rows: Rows, pace: Pace, lower: Angles | None = None, upper: Angles | None = None) -> Rows:
        """One step of every row, within `lower` and `upper` (the limits when None)."""
        return self.at(self.stepped(rows, pace, lower, upper), rows.sides)

    def stepped(self, rows: Rows, pace: Pace, lower: Angles | None = None, upper: Angles | None = None) -> Angles:
        """The angles (m, n) after one step."""
        model = self.model
        least: Angles = model.lower if lower is None else lower
        most: Angles = model.upper if upper is None else upper
        system = self._shape(rows)
        ridge: Angles = np.diag(pace.proximal / model.scale**2)
        matrix: Angles = system.matrix + AIM_WEIGHT**2 * (rows.columns @ rows.columns.transpose(0, 2, 1)) + ridge
        descent: Angles = system.descent + aimed(rows)
        move = boxed(matrix, descent, least - rows.angles, most - rows.angles)
        size = np.abs(move / model.scale).max(1)
        move = move * np.minimum(1.0, pace.largest_step / np.maximum(size, pace.largest_step))[:, None]
        angles: Angles = np.clip(rows.angles + move, least, most)
        return angles

    def _shape(self, rows: Rows) -> System:
        """What the shape asks of the joints, with the rolls that are preferred."""
        system = self.authored.system(rows.poses, rows.wanted)
        return self.rolls.added(rows.poses, system) if self.rolls else system

    def led(self, rows: Rows, lead: Lead) -> Angles:
        """The angles (m, n) after one step of rows that are led somewhere."""
        angles: Angles = np.clip(rows.angles + lead.toward, lead.lower, lead.upper)
        bound = np.flatnonzero((lead.shape > 0.0) | (lead.aim > 0.0))  # the others just go where they wish
        if not len(bound):
            return angles
        rows = rows.pick(bound) if len(bound) < len(angles) else rows
        wish, aim, least, most = lead.toward[bound], lead.aim[bound], lead.lower[bound], lead.upper[bound]
        ridge: Angles = lead.proximal[bound, None] / self.model.scale**2
        matrix: Angles = (AIM_WEIGHT**2 * aim)[:, None, None] * (rows.columns @ rows.columns.transpose(0, 2, 1))
        pulled: Angles = aimed(rows) * aim[:, None]
        descent: Angles = pulled + ridge * wish
        diagonal = np.arange(matrix.shape[1])
        matrix[:, diagonal, diagonal] += ridge
        shaped = np.flatnonzero(lead.shape[bound])
        if len(shaped):
            weight: Angles = lead.shape[bound][shaped]
            some = rows.pick(shaped)
            system = self._shape(some)
            matrix[shaped] += system.matrix * weight[:, None, None]
            descent[shaped] += system.descent * weight[:, None]
        angles[bound] = np.clip(rows.angles + boxed(matrix, descent, least - rows.angles, most - rows.angles, LED_PASSES), least, most)
        return angles


def aimed(rows: Rows) -> Angles:
    """What the heavy aim adds to the descent (m, n), as much of it as one step goes for."""
    clip = np.minimum(1.0, LARGEST_TURN / np.maximum(rows.missed, LARGEST_TURN))
    pull: Angles = rows.error * (AIM_WEIGHT**2 * clip)[:, None]
    pulled: Angles = (rows.columns @ pull[:, :, None])[:, :, 0]
    return pulled


def boxed(matrix: Angles, descent: Angles, least: Angles, most: Angles, passes: int = PASSES) -> Angles:
    """Moves (m, n) that minimise x' matrix x / 2 - descent' x between `least` and `most`, by an active set.

    Joints that a pass carries over a bound go to it, and the others take over; joints at a bound that the rest no longer presses against
    are let go. Bounds of zero that the descent presses against hold from the start.
    """
    n = matrix.shape[1]
    fixed = np.zeros_like(descent)
    held = ((least == 0.0) & (descent < 0.0)) | ((most == 0.0) & (descent > 0.0))  # what must keep moving is not at rest at a limit
    any_held = bool(held.any())
    bounds: Bounds | None = None
    for left in reversed(range(passes)):
        right, reduced = descent, matrix
        if any_held:
            free = np.where(held, 0.0, 1.0)
            right = np.where(held, fixed, descent - (matrix @ fixed[:, :, None])[:, :, 0])
            reduced = matrix * (free[:, :, None] * free[:, None, :])
            reduced.reshape(-1, n * n)[:, :: n + 1] += held  # on the diagonals
        move = np.linalg.solve(reduced, right[:, :, None])[:, :, 0]
        over = ((move < least) | (move > most)) & ~held
        eased: Flags | None = None
        if any_held and left >= LAST_PASSES:
            bounds = bounds or Bounds(least, most, most > least, EASED * np.abs(descent).max(1, keepdims=True))
            eased = held & _eased(matrix, descent, move, bounds)
        if not (over if eased is None else over | eased).any():
            return move
        held = held | over
        fixed = np.where(over, np.minimum(np.maximum(move, least), most), fixed)
        if eased is not None:
            held &= ~eased
            fixed = np.where(held, fixed, 0.0)
        any_held = True
    return np.minimum(np.maximum(move, least), most)


class Bounds(NamedTuple):
    """Of moves, and what is known of them from pass to pass."""

    least: Angles  # (m, n)
    most: Angles
    apart: Flags  # (m, n) where there is room between them
    tolerance: Angles  # (m, 1) what is pulled back inside by less stays where it is


def _eased(matrix: Angles, descent: Angles, move: Angles, bounds: Bounds) -> Flags:
    """Which joints at a bound would go back inside (m, n), were they let go."""
    pressed = descent - (matrix @ move[:, :, None])[:, :, 0]
    back = ((move >= bounds.most) & (pressed < -bounds.tolerance)) | ((move <= bounds.least) & (pressed > bounds.tolerance))
    return np.asarray(back & bounds.apart)
