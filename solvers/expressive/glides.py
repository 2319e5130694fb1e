"""Ways from one branch of answers to another: how many rows take a step on theirs. Knows no Blender."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..skeleton import Angles
from .descent import Lead
from .model import Indices, Model
from .pace import ARRIVED, LARGEST_MOVE, RAMP, STRAIGHT_RAMP

STAY, ALONG, STRAIGHT = range(3)
"""No glide; toward the branch as the aim lets it; straight there, whatever the aim."""
KINDS = (ALONG, STRAIGHT)

Row = tuple[float, ...]
"""Angles, or other numbers, as a value that never changes."""


@dataclass(frozen=True)
class Course:
    """A glide under way."""

    kind: int
    branch: Row  # (n,)


class Glides(NamedTuple):
    """Rows on their ways."""

    kinds: Indices  # (m,)
    goals: Angles  # (m, n) of the branches
    speeds: Angles  # (m,) [rad a frame]


def led(model: Model, angles: Angles, glides: Glides, frames: int, lower: Angles, upper: Angles) -> tuple[Lead, Angles]:
    """What rows at `angles` (m, n) are after in a step of so many frames between `lower` and `upper`, and their speeds (m,) after it."""
    gliding = glides.kinds != STAY
    away = np.where(gliding[:, None], glides.goals - angles, 0.0)
    far = np.abs(away) / model.scale
    left = np.maximum(far.max(1), ARRIVED)
    top = min(LARGEST_MOVE, model.options.glide_speed)
    ramp = np.where(glides.kinds == STRAIGHT, STRAIGHT_RAMP, RAMP)
    brake = np.maximum(ramp, np.sqrt(2.0 * ramp * left) - 0.5 * ramp)
    travel = frames * np.minimum(np.minimum(top, glides.speeds + 0.5 * (frames + 1) * ramp), brake)
    toward = away * np.minimum(1.0, travel / left)[:, None]
    staying = np.where(gliding, 0.0, 1.0)
    lead = Lead(toward, staying, np.where(glides.kinds == STRAIGHT, 0.0, 1.0), np.ones(len(angles)), lower, upper)
    return lead, np.where(gliding, np.minimum(np.minimum(top, brake), glides.speeds + frames * ramp), 0.0)


def arrived(model: Model, angles: Angles, goals: Angles) -> NDArray[np.bool_]:
    """(m,) whether rows are where the warm steps alone go on."""
    there: NDArray[np.bool_] = (np.abs(angles - goals) / model.scale).max(1) < ARRIVED
    return there


def rows_of(angles: Angles) -> tuple[Row, ...]:
    """Rows (m, n) as values that never change."""
    return tuple(tuple(row) for row in angles.tolist())
