"""Interface of the gaze solvers, and their solutions with errors such as the shape deviation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from .aims.blocks import EndError, PoseErrors
from .goals import EndGoal, GazeGoal
from .kinematics.rotations import Quaternion, Vector, Y, cross, dot, length, rotate, subtract, unit
from .kinematics.skeleton import SHORTEST_LINK, Angles, Pose, Skeleton
from .tolerances import MET, SAME_ANGLE

FRAME = 1 / 60  # [s] duration of a frame if none is given
# [rad/s] largest speed of a joint: at 60 frames a second, about half of what looks like a jump
SPEED = math.radians(480)
# [rad/s, or multiples of the target's distance from the base per second] speed above which a target counts as
# jumping
FASTEST_TARGET = 18.0
# [s] time between failed searches for other solutions: a target out of reach usually stays so for a while
SEARCH_PAUSE = 0.5
UNFINISHED = "the solver has not brought it there yet: wait, or choose another Solver"


class Diagnostics(Protocol):
    """Interface of an object that computes errors and diagnostics of a skeleton's solutions on request."""

    def converged(self, solution: "GazeSolution") -> bool:
        """Value of `GazeSolution.converged`."""
        ...

    def limits_hit(self, solution: "GazeSolution") -> tuple[int, ...]:
        """Value of `GazeSolution.limits_hit`."""
        ...

    def reason(self, solution: "GazeSolution") -> str:
        """Value of `GazeSolution.reason`."""
        ...

    def remark(self, solution: "GazeSolution") -> str:
        """Value of `GazeSolution.remark`."""
        ...

    def shape_deviation(self, solution: "GazeSolution") -> float:
        """Value of `GazeSolution.shape_deviation`."""
        ...

    def posture_error(self, solution: "GazeSolution") -> float:
        """Value of `GazeSolution.posture_error`."""
        ...


@dataclass(eq=False)
class GazeSolution:
    """Solution of a gaze solver; its errors and diagnostics are computed on request."""

    angles: Angles  # (n,) [rad], prismatic joints [m], within limits
    iterations: int  # number of iterations, as the solver counts them
    seconds: float  # [s] duration of the solve
    diagnostics: Diagnostics = field(repr=False)
    goal: GazeGoal = field(repr=False)
    posture: tuple[float, ...] = field(repr=False)  # (n,) as authored
    measured: PoseErrors = field(repr=False)  # errors of each of `goal.ends`
    # state for the next frame, which the solver itself does not store
    memory: object = field(default=None, repr=False)
    # [rad] shape deviation by the measure that the method minimises; None if the method has no measure of its
    # own
    lowered: float | None = None
    # whether the method's own criterion is met; None if the criterion is that every goal is met to within
    # `MET`
    is_accepted: bool | None = field(default=None, repr=False)
    # why the method's criterion is not met although the joints would allow it, with the remedy; "" for none
    # (see `shortfall.reason`)
    unfinished: str = field(default=UNFINISHED, repr=False)

    # whether a transition is in progress, so that the solution changes even if its goal does not
    is_on_its_way: bool = False

    @property
    def converged(self) -> bool:
        """Whether the solver has converged, by its own criterion; False if an end is at the very position of
        the point that it should look at, which then is in no direction.
        """
        return self.diagnostics.converged(self)

    @property
    def aim_error(self) -> float:
        """Aim error [rad] of the tool; for Direction and Point, of the view alone."""
        return self.measured.angle

    @property
    def orientation_error(self) -> float:
        """The tool's orientation error as in the ERIK paper, sqrt(2) sin(phi / 4), where phi is the angle to
        the whole target, including the roll if the goal has one.
        """
        return papers_error(self.measured.errors[0].whole)

    @cached_property
    def limits_hit(self) -> tuple[int, ...]:
        """Indices of the joints at a limit."""
        return self.diagnostics.limits_hit(self)

    @cached_property
    def reason(self) -> str:
        """Why the solver has not converged, and the remedy, as a sentence without a full stop; "" if it has
        converged.
        """
        return self.diagnostics.reason(self)

    @cached_property
    def remark(self) -> str:
        """How the solver changed the goal, as a sentence; "" if it did not."""
        return self.diagnostics.remark(self)

    @cached_property
    def shape_deviation(self) -> float:
        """The shape deviation [rad], see `PostureShape`."""
        return self.diagnostics.shape_deviation(self)

    @cached_property
    def posture_error(self) -> float:
        """The ERIK paper's posture error, weighted."""
        return self.diagnostics.posture_error(self)


class GazeSolver(Protocol):
    """Interface of a solver for one skeleton. It is pure: equal arguments give solutions that differ only in
    their `seconds`.
    """

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, *, dt: float = FRAME
    ) -> GazeSolution:
        """The best solution found for `goal`.

        Args:
            goal: Goals of the ends, and the posture (n,) [rad] to keep.
            start: Angles (n,) [rad] to start from, usually the last frame's solution; None: from scratch.
            memory: The last solution's `memory`.
            dt: Duration [s] of the frame, for limits of motion, from `tolerances.SHORTEST_FRAME` to
                `LONGEST_FRAME`.

        Raises:
            PostureShapeError: the posture or the start does not have one finite angle per joint.
            TargetError: the target is not finite, or has no length.
            GoalKindError: the method does not know this kind of goal.
            GazeError: an end does not exist, a weight cannot be used, or `dt` cannot be the duration of
                a frame.

        A goal that cannot be met is no error: `converged` is False, and `reason` says why.
        """
        ...


def end_error_of(end_goal: EndGoal, rotation: Quaternion, position: Vector) -> EndError:
    """Error of an end with this rotation and position [m] with respect to its goal."""
    first, *further = (block.end_error(rotation, position) for block in end_goal.blocks)
    for error in further:
        first = first.and_also(error)
    return first


def end_errors(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> tuple[EndError, ...]:
    """Errors of a pose, one for each end in `goal.ends`."""
    return tuple(end_error_of(end_goal, *skeleton.end_pose(pose, end_goal.end)) for end_goal in goal.ends)


def is_met(skeleton: Skeleton, error: EndError) -> bool:
    """Whether an end's errors are within `MET`."""
    return error.whole <= MET and error.distance <= MET * skeleton.reach


def aim_error(goal: GazeGoal, pose: Pose) -> float:
    """Angle [rad] between the tool's orientation and its target; for Direction and Point, between its view
    and the desired one.
    """
    return end_error_of(goal.ends[0], pose.tool_rotation, pose.tool_position).angle


def orientation_error(goal: GazeGoal, pose: Pose) -> float:
    """The tool's orientation error as in the ERIK paper, sqrt(2) sin(phi / 4) in 0..1, where phi is the angle
    to the whole target (eq. 20).
    """
    return papers_error(end_error_of(goal.ends[0], pose.tool_rotation, pose.tool_position).whole)


def papers_error(angle: float) -> float:
    """The ERIK paper's orientation error for an error angle [rad] (eq. 20)."""
    return math.sqrt(2.0) * math.sin(0.25 * angle)


def limits_hit(skeleton: Skeleton, angles: Sequence[float]) -> tuple[int, ...]:
    """Indices of the joints that are at a limit."""
    ranges = zip(angles, skeleton.lower, skeleton.upper, strict=True)
    return tuple(
        k
        for k, (angle, lower, upper) in enumerate(ranges)
        if angle - lower <= SAME_ANGLE or upper - angle <= SAME_ANGLE
    )


class Link(NamedTuple):
    """A link with a direction: from a joint's position to a later joint's, or to an end's."""

    carrier: int  # index of the joint that moves the link
    joint: int  # index of the joint at which the link ends; -1 if it ends at an end
    end: int  # index of the end at which the link ends; -1 if it ends at a joint


def links_of(skeleton: Skeleton, with_root: bool = False) -> list[Link]:
    """The links compared in shape deviation: those with a length that a joint moves. Those on the first
    joint, which only rotate about the base's axis, are included only with `with_root`.
    """
    links = [
        Link(joint.parent, k, -1)
        for k, joint in enumerate(skeleton.joints)
        if length(joint.rest_offset) > SHORTEST_LINK
    ]
    links += [
        Link(end.joint, -1, e) for e, end in enumerate(skeleton.ends) if length(end.offset) > SHORTEST_LINK
    ]
    return [link for link in links if link.carrier > 0 or (with_root and link.carrier == 0)]


class PostureShape:
    """Shape of one posture, from which the shape deviation of poses is measured.

    The deviation is the angle whose cosine is the mean cosine between the link directions of a pose and of
    the posture. Before the comparison, the pose is rotated about the first joint's axis so that this angle is
    smallest. Links run to the next joint's position, the last one to the tool's; the view of each end counts
    as one more link. Links without a length do not count, nor does the first joint's: it only rotates about
    the base's axis.
    """

    def __init__(self, skeleton: Skeleton, posture: tuple[float, ...]) -> None:
        self.skeleton = skeleton
        self.axis = skeleton.world_axes(skeleton.forward([0.0] * len(skeleton)))[0]
        self.links = links_of(skeleton)
        self.authored = self._directions(skeleton.forward(posture))

    def _directions(self, pose: Pose) -> list[Vector]:
        """Unit directions of all links in a pose, then the views of all ends."""
        ends = [self.skeleton.end_pose(pose, e) for e in range(len(self.skeleton.ends))]
        positions = pose.positions
        links = [
            subtract(positions[joint] if joint >= 0 else ends[end][1], positions[carrier])
            for carrier, joint, end in self.links
        ]
        return [unit(link) for link in links] + [rotate(turned, Y) for turned, _ in ends]

    def deviation(self, pose: Pose) -> float:
        """Shape deviation [rad] of a pose from the posture."""
        upright_sum = along = across = 0.0
        directions = self._directions(pose)
        for solved, authored in zip(directions, self.authored, strict=True):
            along_axis = dot(solved, self.axis) * dot(authored, self.axis)
            upright_sum += along_axis
            along += dot(solved, authored) - along_axis
            across += dot(cross(authored, solved), self.axis)
        mean = (upright_sum + math.hypot(along, across)) / len(directions)
        return math.acos(min(1.0, max(-1.0, mean)))


def shape_deviation(skeleton: Skeleton, angles: Angles, posture: Angles) -> float:
    """Shape deviation [rad] of `angles` (n,) from `posture` (n,); see `PostureShape`."""
    return PostureShape(skeleton, tuple(map(float, posture))).deviation(
        skeleton.forward(tuple(map(float, angles)))
    )
