"""Solvers side by side on one task: the end of a chain of unit links takes an orientation while the chain
holds a posture.

A file for each library, loaded only when it is asked for: a process loads one of them, from the environment
that has it.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

import numpy as np
from limber.solvers.goals import GazeGoal
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.table import SOLVERS

from ..paper import Body

DEFAULT = "expressive"  # the solver that a new rig has
TOLERANCE = 1e-3  # [rad] an aim missed by less is met
MAX_STEPS = 100  # of differential solvers
POSTURE_COST = (
    1e-2  # of a radian of a joint against a radian of aim: it must not keep the aim from its tolerance
)


@dataclass(frozen=True)
class Task:
    """From zero to a target that some pose within limits meets."""

    goal: GazeGoal

    @property
    def rotation(self) -> np.ndarray:
        """The target (3, 3)."""
        return np.array(to_matrix(self.goal.aim.wxyz))


class Contestant(Protocol):
    """One solver on one chain. `prepare` and `angles` are not timed."""

    def __init__(self, name: str, body: Body) -> None: ...

    def prepare(self, task: Task) -> None:
        """The task in the library's own terms."""
        ...

    def solve(self) -> int:
        """From zero until the aim is met or given up; how many steps it took."""
        ...

    def angles(self) -> np.ndarray:
        """What `solve` found (n,) [rad]."""
        ...


@dataclass(frozen=True)
class Entry:
    """A line of the table."""

    label: str
    what: str  # what is timed
    file: str  # in this folder
    environment: str = ".venv-bench"  # that has the library
    tasks: int = 10**6  # at most so many: for those that take too long for all


NEAR, WARM = f"{DEFAULT}_near", f"{DEFAULT}_from_zero"
OWN = {
    NEAR: Entry(
        f"Limber's default, {SOLVERS[DEFAULT].label}, near",
        "`near`: the posture's branch, else zero's",
        "limber",
        ".venv",
    ),
    WARM: Entry(
        f"Limber's default, {SOLVERS[DEFAULT].label}, in frames",
        "zero as the last frame; 50 tasks",
        "limber",
        ".venv",
        50,
    ),
    **{
        name: Entry(f"Limber, {info.label}", "one call from scratch", "limber", ".venv")
        for name, info in SOLVERS.items()
    },
}
PEERS = {
    "pink": Entry("pink (daqp)", "differential steps", "pink"),
    "mink": Entry("mink (daqp)", "differential steps", "mink"),
    "placo": Entry("placo", "differential steps", "placo"),
    "roboticstoolbox": Entry("roboticstoolbox ik_LM", "one call, knows no posture", "roboticstoolbox"),
    "ikpy": Entry("ikpy", "one call, knows no posture", "ikpy"),
    "ikpy_regular": Entry("ikpy, with its regulariser", "one call, held at zero; 20 tasks", "ikpy", tasks=20),
    "blender": Entry("Blender's own IK", "one update, knows no posture", "blender", ".venv"),
}
ENTRIES = OWN | PEERS


def make(name: str, body: Body) -> Contestant:
    """The contestant of that name on a chain."""
    made: Contestant = import_module(f".{ENTRIES[name].file}", __package__).Contestant(name, body)
    return made
