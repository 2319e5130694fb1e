"""What the parts in front cannot reach, the part that carries them takes: how far eyes look in a head, and
head and eyes on a torso, measured with their own solvers and limits.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...character.attention import CarriedLook
from ...solvers.errors import GazeError
from ...solvers.gaze import GazeSolver
from ...solvers.goals import Aim, Direction, GazeGoal, Point
from ...solvers.kinematics import rotations
from ...solvers.kinematics.skeleton import SHORTEST_LINK, Pose, Skeleton, SkeletonError
from ...solvers.table import make_solver
from ..blender.errors import RigError
from ..bones.hanging import HangingBones
from ..chains import chain as build
from ..chains.skeleton import ChainReader
from ..scene.goal import ends_of, tool_frame
from . import look_sharing
from .chain_settings import HEADS_LOOK

SEEN = math.radians(0.1)  # [rad] aim error up to which a part counts as looking at a target
# largest rotation of a link in relation to that of its look: a view at 30 degrees to its axis rotates by half
FARTHEST = 2.0
RESOLUTION = math.radians(1)  # [rad] resolution with which the reach of parts is measured
# settings of what a chain leaves to others, in the order of a reach: to its end's left and right, up and down
SIDES = ("carried_left", "carried_right", "carried_up", "carried_down")
# [rad] directions of diagonal looks, from the left to up, as of `_left_toward`
DIAGONALS = [k * math.pi / 8 for k in range(16) if k % 4]
SHARE = 0.01  # resolution with which a reach is made smaller for diagonal looks, as a share of it
Chains = Sequence[bpy.types.PropertyGroup]


def share_among(
    rig: bpy.types.Object, eyes: Chains, carriers: Chains, target: bpy.types.Object | None
) -> None:
    """Sets how much of a look each chain leaves to those in front of it, if they cannot do all that its share
    leaves to them in its widest look: no more than they can look in each direction. Where a chain cannot be
    solved, those behind it stay as they are.

    Args:
        rig: The armature object.
        eyes: Chains of the eyes.
        carriers: Chains of the torso, if there is one, and of the head.
        target: Object whose distance now is that of the targets. None, or one that is too near, since the
            carrier's rotation would move the front part past it, or a chain cannot look at it even straight
            ahead: the targets are far away.
    """
    reach = np.zeros(len(SIDES))  # [rad]
    parts = [*([eyes] if eyes else []), *([chain] for chain in reversed(carriers))]
    for front, (carrier,) in pairwise(parts):
        # the last part gets a whole look; what it carries rotates no farther than a neck
        widest = min(carrier.widest_look, HEADS_LOOK if carrier == carriers[0] else look_sharing.WIDE)
        movers = [mover for chain in front if (mover := _mover(rig, chain)) is not None]
        if len(movers) < len(front):
            return
        reach += _reach_of(rig, movers, carrier, target, widest)
        if not (reach[:2].any() and reach[2:].any()):
            if front is not eyes:
                # a torso cannot look for its head, which sees from elsewhere: the head keeps its part
                return
            # eyes that stay in a plane meet a target beside it only if the head does all of a look
            reach[:] = 0.0
        _leave(carrier, reach, widest)


def _reach_of(
    rig: bpy.types.Object,
    movers: Sequence["_Mover"],
    carrier: bpy.types.PropertyGroup,
    target: bpy.types.Object | None,
    widest: float,
) -> np.ndarray:
    """How far (4,) [rad] movers look together, at most the widest look, while the chain that carries them
    rests: in the directions of `SIDES`, so that they can also look in any two of them at once. Target as in
    `share_among`.
    """
    position = sum((mover.position for mover in movers), Vector()) / len(movers)
    axes = _axes(rig, carrier)
    away = _distance(rig, target, position, rig.data.bones[carrier.end].head_local)
    if any(mover.angles(_Look(position, axes, (0.0, 0.0), away), 0.0) is None for mover in movers):
        away = math.inf

    def reach(look: _Look, most: float) -> float:
        return min(_reach(mover, look, most) for mover in movers)

    toward_sides = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
    sides = np.array([reach(_Look(position, axes, toward, away), widest) for toward in toward_sides])
    left = _left(carrier, widest)
    within_reach = sides.copy()
    for direction in DIAGONALS:
        aside, upward = _left_toward(direction, sides, left)
        if (size := math.hypot(aside, upward)) == 0.0:
            continue
        look = _Look(position, axes, (aside / size, upward / size), away)
        if not all(mover.follows(look, size) for mover in movers):
            within_reach = np.minimum(within_reach, _smaller(direction, sides, left, reach(look, size)))
    # opposite sides that differ by the resolution alone are equal: the figure is symmetric
    for pair in (within_reach[:2], within_reach[2:]):
        if np.ptp(pair) < 1.5 * RESOLUTION:
            pair[:] = pair.min()
    return within_reach


def _left_toward(direction: float, sides: np.ndarray, left: float) -> tuple[float, float]:
    """Angles [rad] to the left and up that a chain leaves to others of its widest look, of which `left` [rad]
    are theirs by its share.

    Args:
        direction: Angle [rad] of the look's direction, from the left to up, if the sides were equal.
        sides: (4,) [rad] the most that the chain leaves to others, as `SIDES`.
        left: [rad] as from `_left`.
    """
    across, along = math.cos(direction), math.sin(direction)
    most = np.minimum(sides, left)
    look = np.array((across * most[0 if across > 0.0 else 1], along * most[2 if along > 0.0 else 3]))
    if not look.all():
        return 0.0, 0.0
    carried = CarriedLook(*(angle if angle < left else math.inf for angle in sides.tolist()))
    return carried.within(*(look * left / np.linalg.norm(look)).tolist())


def _smaller(direction: float, sides: np.ndarray, left: float, reached: float) -> np.ndarray:
    """`sides` with smaller angles in a direction, so that what is left there is no more than a reach [rad];
    other arguments as for `_left_toward`.
    """
    nearest = [0 if math.cos(direction) > 0.0 else 1, 2 if math.sin(direction) > 0.0 else 3]
    smaller = sides.copy()
    for share in np.arange(1.0, 0.0, -SHARE):
        smaller[nearest] = share * np.minimum(sides, left)[nearest]
        if math.hypot(*_left_toward(direction, smaller, left)) <= reached:
            break
    return smaller


def _distance(
    rig: bpy.types.Object, target: bpy.types.Object | None, position: Vector, pivot: Vector
) -> float:
    """Distance [m, armature space] of a target from a position that rotates about a pivot; inf for None, and
    for a target within the sphere on which the position moves.
    """
    if target is None:
        return math.inf
    away = (rig.matrix_world.inverted() @ target.matrix_world.translation - position).length
    return away if away > (position - pivot).length else math.inf


def _left(carrier: bpy.types.PropertyGroup, widest: float) -> float:
    """Part [rad] of a look by the angle `widest` [rad] that the chain `carrier` leaves to the chains on its
    end, because of its share and its dead zone.
    """
    return (1.0 - carrier.share) * (widest - carrier.dead_zone) + carrier.dead_zone


def _leave(carrier: bpy.types.PropertyGroup, reach: np.ndarray, widest: float) -> None:
    """Sets how much of a look a chain leaves to others, whose reach (4,) [rad] is as `SIDES`, if that is less
    than they get of the widest look [rad]. The chain's dead zone is a part of that, and becomes smaller in
    the same proportion as the smallest reach.
    """
    left = _left(carrier, widest)
    proportion = min(reach) / left if left else 1.0
    if proportion >= 1.0:
        return
    carrier.dead_zone *= proportion
    for name, angle in zip(SIDES, reach.tolist(), strict=True):
        if angle < left:
            setattr(carrier, name, angle - carrier.dead_zone)


class _Look(NamedTuple):
    """Targets of looks in one direction, by any angle, in armature space at rest.

    Attributes:
        position: [m] position from which they are seen.
        axes: Rotation of the axes of `CarriedLook.direction`.
        toward: The look's direction: shares (2,) of the angle to the left and up, of length 1.
        away: [m] distance of the targets; inf: they are far away.
    """

    position: Vector
    axes: Matrix
    toward: tuple[float, float]
    away: float

    def aim(self, angle: float, from_armature: Matrix) -> Aim:
        """The target of a look by an angle [rad], in another frame."""
        direction = self.axes @ Vector(CarriedLook.direction(*(angle * share for share in self.toward)))
        if self.away == math.inf:
            return Direction(tuple((from_armature.to_3x3() @ direction).normalized()))
        return Point(tuple(from_armature @ (self.position + self.away * direction)))


class _Mover(NamedTuple):
    """A chain with its solver, which begins at rest.

    Attributes:
        skeleton: The skeleton.
        solver: The solver.
        from_armature: Matrix from armature space to the chain's base frame, at rest.
        widest: [rad] widest look of the chain.
    """

    skeleton: Skeleton
    solver: GazeSolver
    from_armature: Matrix
    widest: float

    @property
    def position(self) -> Vector:
        """Position [m, armature space] from which the chain looks at rest."""
        return self.from_armature.inverted() @ Vector(self._rest.tool_position)

    @property
    def _rest(self) -> Pose:
        return self.skeleton.forward([0.0] * len(self.skeleton))

    def angles(self, look: _Look, angle: float) -> np.ndarray | None:
        """Joint values (n,) [rad; prismatic joints m] of a look by an angle [rad], within limits and the
        widest look; None if the chain cannot look so far.
        """
        aim = look.aim(angle, self.from_armature)
        gaze = aim.gaze(self._rest.tool_position)
        ahead = Quaternion(self._rest.tool_rotation) @ Vector((0.0, 1.0, 0.0))
        if gaze is None or ahead.angle(Vector(gaze), math.inf) > self.widest + SEEN:
            return None
        try:
            solution = self.solver.solve(GazeGoal(aim, np.zeros(len(self.skeleton))))
        except GazeError:
            return None
        return solution.angles if solution.aim_error <= SEEN else None

    def follows(self, look: _Look, angle: float) -> bool:
        """Whether the chain can look by an angle [rad], and no link rotates much farther than the look in the
        last `RESOLUTION` of it. Near its limits a chain can look farther only in other, contorted postures.
        """
        before, angles = self.angles(look, angle - RESOLUTION), self.angles(look, angle)
        if before is None or angles is None:
            return False
        poses = [self.skeleton.forward(values.tolist()).rotations for values in (before, angles)]
        # joints at one position are one link's
        offsets = [joint.rest_offset for joint in self.skeleton.joints[1:]]
        ends = [k for k, offset in enumerate(offsets) if rotations.length(offset) > SHORTEST_LINK]
        return all(
            rotations.angle_between(poses[0][k], poses[1][k]) <= FARTHEST * RESOLUTION for k in (*ends, -1)
        )


def _reach(mover: _Mover, look: _Look, widest: float) -> float:
    """Largest angle [rad] of a look, at most the widest, that a mover follows alone."""
    steps = range(1, 1 + math.ceil(widest / RESOLUTION))
    return RESOLUTION * bisect_right(
        steps, False, key=lambda step: not mover.follows(look, step * RESOLUTION)
    )


def _axes(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Matrix:
    """Rotation, to armature space at rest, of the axes of the look of a chain's end: X to its right, Y ahead,
    Z up.
    """
    bone = rig.data.bones[chain.end]
    rotation, _ = tool_frame(next(iter(ends_of(chain))), bone.length)
    return bone.matrix_local.to_3x3() @ Quaternion(rotation).to_matrix()


def _mover(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> _Mover | None:
    """None if the chain cannot be solved, which its Check says."""
    try:
        reader = ChainReader(rig, chain, HangingBones(rig))
        skeleton = build.skeleton_now(rig, chain)
        solver = make_solver(
            chain.solver, skeleton, build.solver_options(chain, chain.solver, reader, rig.matrix_world)
        )
    except (GazeError, SkeletonError, RigError):
        return None
    return _Mover(skeleton, solver, rig.data.bones[chain.root].matrix_local.inverted(), chain.widest_look)
