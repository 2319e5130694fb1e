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
Chains = Sequence[bpy.types.PropertyGroup]


def share_among(
    rig: bpy.types.Object, eyes: Chains, carriers: Chains, target: bpy.types.Object | None
) -> None:
    """Sets how much of a look each chain leaves to those in front of it, if they cannot do all that its share
    leaves to them in its widest look: no more than they can look, to the sides and up or down. Where a chain
    cannot be solved, those behind it stay as they are.

    Args:
        rig: The armature object.
        eyes: Chains of the eyes.
        carriers: Chains of the torso, if there is one, and of the head.
        target: Object whose distance now is that of the targets. None, or one that is too near, since the
            carrier's rotation would move the front part past it, or a chain cannot look at it even straight
            ahead: the targets are far away.
    """
    reach = np.zeros(2)  # [rad] to the side, and up or down
    parts = [*([eyes] if eyes else []), *([chain] for chain in reversed(carriers))]
    for front, (carrier,) in pairwise(parts):
        # the last part gets a whole look; what it carries rotates no farther than a neck
        widest = min(carrier.widest_look, HEADS_LOOK if carrier == carriers[0] else look_sharing.WIDE)
        movers = [mover for chain in front if (mover := _mover(rig, chain)) is not None]
        if len(movers) < len(front):
            return
        reach += _reach_of(rig, movers, carrier, target, widest)
        if not reach.all():
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
    """How far (2,) [rad] movers look together, at most the widest look, while the chain that carries them
    rests: to both sides, and both up and down. Target as in `share_among`.
    """
    position = sum((mover.position for mover in movers), Vector()) / len(movers)
    side, ahead, up = _axes(rig, carrier)
    away = _distance(rig, target, position, rig.data.bones[carrier.end].head_local)
    if any(mover.angles(_Look(position, ahead, up, away), 0.0) is None for mover in movers):
        away = math.inf
    looks = [_Look(position, ahead, axis, away) for axis in (up, -up, side, -side)]
    angles = [min(_reach(mover, look, widest) for mover in movers) for look in looks]
    return np.array((min(angles[:2]), min(angles[2:])))


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


def _leave(carrier: bpy.types.PropertyGroup, reach: np.ndarray, widest: float) -> None:
    """Sets how much of a look a chain leaves to others, whose reach (2,) [rad] is to the side, and up or
    down, if that is less than they get of the widest look [rad]. The chain's dead zone is a part of that, and
    becomes smaller in the same proportion.
    """
    left = (1.0 - carrier.share) * (widest - carrier.dead_zone) + carrier.dead_zone
    proportion = min(reach) / left if left else 1.0
    if proportion >= 1.0:
        return
    carrier.dead_zone *= proportion
    for name, angle in zip(("carried_aside", "carried_up"), reach.tolist(), strict=True):
        if angle < left:
            setattr(carrier, name, angle - carrier.dead_zone)


class _Look(NamedTuple):
    """Targets of looks by any angle about an axis, in armature space at rest.

    Attributes:
        position: [m] position from which they are seen.
        ahead: Direction of the look by no angle, a unit vector.
        axis: The axis, a unit vector.
        away: [m] distance of the targets; inf: they are far away.
    """

    position: Vector
    ahead: Vector
    axis: Vector
    away: float

    def aim(self, angle: float, from_armature: Matrix) -> Aim:
        """The target of a look by an angle [rad], in another frame."""
        direction = Quaternion(self.axis, angle) @ self.ahead
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


def _axes(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> list[Vector]:
    """Unit vectors in armature space at rest: across the look of a chain's end, along it, and up."""
    bone = rig.data.bones[chain.end]
    rotation, _ = tool_frame(next(iter(ends_of(chain))), bone.length)
    axes = bone.matrix_local.to_3x3() @ Quaternion(rotation).to_matrix()
    return [axis.normalized() for axis in axes.col]


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
