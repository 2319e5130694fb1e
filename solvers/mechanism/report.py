"""What is told of a solve: converged or not, what holds it back, what nothing determines. Knows no Blender."""

from dataclasses import dataclass

ASSEMBLED = 1e-6  # [m or rad] a mechanism that holds together


@dataclass(frozen=True)
class Counts:
    """A mechanism at one pose: rows of its closures, their rank, what is left to move."""

    coordinates: int  # of the tree
    rows: int  # that close loops
    rank: int  # of these rows
    mobility: int  # independent ways to move
    redundancy: int  # rows that say nothing new
    actuators: int
    independent_actuators: int  # of the actuators' values, that can be set at will
    open_ways: int  # independent ways to move that are left with every actuator held
    undetermined: tuple[str, ...]  # bodies that these move: a solve keeps them still


@dataclass(frozen=True)
class Report:
    """One solve."""

    assembled: bool  # every joint holds to ASSEMBLED
    settled: bool  # nothing more was to be gained when it stopped
    residual: float  # [m or rad] of the joint that is most open
    worst: str  # that joint's name; "": no joint closes a loop
    goal_error: float  # root of the weighted sum of squares that is left (pursuit's units)
    at_limits: tuple[str, ...]  # joints whose limit or speed limit holds the goals back, as sentences
    iterations: int
    flipped: bool  # it went over to another assembly since the last frame, other than its motors foretell

    @property
    def converged(self) -> bool:
        return self.assembled
