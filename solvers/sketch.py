"""Joint angles from a sketch: points along a chain, given by markers or a drawn line. Only the directions
between successive points matter, as in the ERIK paper, whose postures are joint positions of unit links
(section 3.2). A sketch may therefore have any size and position.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import acos, radians
from typing import NamedTuple

import numpy as np

from .goals import EndGoal, GazeError, GazeGoal, Position
from .jacobian.family import dls
from .kinematics.rotations import IDENTITY
from .kinematics.skeleton import SHORTEST_LINK, Angles, End, Pose, Skeleton
from .spread import spread

SEEDS = 16  # number of starts spread over the joints' ranges, tried until a pose has the sketch's directions
CLOSE = radians(0.1)  # [rad] error up to which a pose counts as having the sketch's directions
FEWEST = 2  # smallest number of points that define a direction


class Sketched(NamedTuple):
    """Pose of a chain from a sketch."""

    # (n,) [rad; prismatic joints m]; within limits, except for joints of a tree that are not on the sketched
    # branch
    angles: Angles
    error: float  # [rad] largest angle between a link and the sketch


def pose_from_points(skeleton: Skeleton, points: Angles, start: Angles) -> Sketched:
    """The pose whose links have the directions of a sketch, or the nearest directions within the joints'
    limits.

    Args:
        skeleton: The chain; of a tree, the branch of its first end.
        points: Points (m, 3) from the base to the end, in the axes of the base frame. If there are as many as
            `places` returns, one for each of these; otherwise a line along which the chain's positions are
            spread by their distances.
        start: Angles (n,) [rad or m] to start from; joints that the sketch does not determine keep them.

    Raises:
        GazeError: there are fewer than two points, all are at one position, or one is not finite; a link gets
            no direction, since two neighbouring points (of the line, if it is one) are at one position; or
            all joints of the chain are at one position.
    """
    path = skeleton.path()
    chain = skeleton.branch()
    initial = np.array(chain.clamp([start[k] for k in path]))
    ends = places(chain, initial.tolist())
    if len(ends) < FEWEST:
        raise GazeError("all joints of the chain are at one position: choose a chain of more bones")
    positions = _positions(chain, ends, chain.forward(initial.tolist()))
    # A sketch only has directions; with the chain's own lengths they become positions within its reach.
    lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    directions = _directions(points, lengths)
    desired_positions = positions[0] + np.concatenate(
        [np.zeros((1, 3)), np.cumsum(lengths[:, None] * directions, axis=0)]
    )
    first, *others = [Position(tuple(position)) for position in desired_positions[1:].tolist()][::-1]
    # Each position is a goal of its own, so that the remaining error is spread over all links by least
    # squares.
    several = replace(chain, more_ends=tuple(ends[-2:0:-1]))
    solver = dls(several)

    def solved(angles: Angles) -> Sketched:
        goal = GazeGoal(
            first, angles, others=tuple(EndGoal(aim, number) for number, aim in enumerate(others, 1))
        )
        solution_angles = solver.solve(goal).angles  # a solve from scratch starts at the posture
        links = np.diff(_positions(chain, ends, chain.forward(solution_angles.tolist())), axis=0)
        cosines = np.sum(links * directions, axis=1) / np.linalg.norm(links, axis=1)
        return Sketched(solution_angles, acos(min(1.0, max(-1.0, float(cosines.min())))))

    # A descent ends in the nearest optimum. Other starts are tried only if the links' directions are not met.
    best = solved(initial)
    for seed in spread(chain, SEEDS):
        if best.error <= CLOSE:
            break
        best = min(best, solved(seed), key=lambda sketched: sketched.error)
    whole = np.array(start, dtype=float)
    whole[list(path)] = best.angles
    return best._replace(angles=whole)


def places(chain: Skeleton, angles: Sequence[float]) -> list[End]:
    """The positions that a sketch of a chain shows, fixed to the joints that carry them: those of its joints,
    then that of its end. One that coincides with the position before it is left out.
    """
    pose = chain.forward(angles)
    candidates = [End(k, IDENTITY, (0.0, 0.0, 0.0), joint.name) for k, joint in enumerate(chain.joints)] + [
        chain.ends[0]
    ]
    ends_at_positions = candidates[:1]
    for end in candidates[1:]:
        first, last = _positions(chain, [ends_at_positions[-1], end], pose)
        if np.linalg.norm(last - first) > SHORTEST_LINK:
            ends_at_positions.append(end)
    return ends_at_positions


def _positions(chain: Skeleton, ends: Sequence[End], pose: Pose) -> Angles:
    """Positions (m, 3) [m] of some ends at a pose."""
    return np.array(
        [pose.tool_position if end is chain.ends[0] else pose.positions[end.joint] for end in ends]
    )


def _directions(points: Angles, lengths: Angles) -> Angles:
    """Unit directions (m, 3) that links with the given lengths (m,) [m] have along a sketch.

    Raises:
        GazeError: the points give a link no direction.
    """
    points = np.asarray(points, dtype=float)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1) if len(points) >= FEWEST else np.zeros(1)
    if not np.isfinite(points).all() or steps.sum() <= 0.0:
        raise GazeError("the sketch has no direction: give it two points or more, at different positions")
    if len(points) != len(lengths) + 1:
        along = np.concatenate([[0.0], np.cumsum(steps)])
        shares = np.concatenate([[0.0], np.cumsum(lengths)]) * along[-1] / lengths.sum()
        points = np.stack([np.interp(shares, along, points[:, axis]) for axis in range(3)], axis=1)
    links: Angles = np.diff(points, axis=0)
    sizes = np.linalg.norm(links, axis=1)
    if not sizes.all():
        raise GazeError(
            "two neighbouring points of the sketch are at one position: move one of them, or leave it out"
        )
    units: Angles = links / sizes[:, None]
    return units
