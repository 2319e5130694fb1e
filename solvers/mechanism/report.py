"""Results of a solve: convergence, active limits, mobility. Knows no Blender."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Mobility of a mechanism at one pose, from the rank of its loop constraints."""

    coordinates: int  # of the tree
    rows: int  # loop constraints
    rank: int  # of the loop constraints
    mobility: int  # degrees of freedom that are left
    redundancy: int  # redundant constraints
    actuators: int
    independent_actuators: int  # actuator values that can be set independently
    free_dofs: int  # degrees of freedom that are left with every actuator fixed
    undetermined: tuple[str, ...]  # bodies that these move: a solve keeps them still


@dataclass(frozen=True)
class Report:
    """Outcome of one solve."""

    assembled: bool  # every joint's residual is at most MET
    settled: bool  # the solve has converged
    residual: float  # [m or rad] of the joint with the largest residual
    worst: str  # that joint's name; "": no joint closes a loop
    goal_error: float  # root of the remaining weighted sum of squares [sizes, rad]
    at_limits: tuple[str, ...]  # sentences on joints whose position or speed limit is active against the goals
    iterations: int
    flipped: bool  # the assembly mode has changed since the last frame, other than by the motors' own movement

    @property
    def converged(self) -> bool:
        return self.assembled
