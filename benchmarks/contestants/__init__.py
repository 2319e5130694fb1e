"""Solvers of several libraries for one task: the end of a chain of unit links takes an orientation while the
chain keeps a posture.

There is a file for each library, loaded only when it is used: a process loads one of them, from the
environment that contains the library.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

import numpy as np
from limber.solvers.goals import GazeGoal
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.table import SOLVERS

from ..paper import Body

DEFAULT = "expressive"  # the default solver of a new rig
TOLERANCE = 1e-3  # [rad] aim error up to which an aim is met
MAX_STEPS = 100  # largest number of steps of differential solvers
# cost of a radian of a joint relative to a radian of aim error: so small that the aim stays within its
# tolerance
POSTURE_COST = 1e-2


@dataclass(frozen=True)
class Task:
    """A task: from zero angles to a target that a pose within limits meets."""

    goal: GazeGoal

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix (3, 3) of the target."""
        return np.array(to_matrix(self.goal.aim.wxyz))


class Contestant(Protocol):
    """Interface of one library's solver for one chain. `prepare` and `angles` are not timed."""

    def __init__(self, name: str, body: Body) -> None: ...

    def prepare(self, task: Task) -> None:
        """Converts the task to the library's form."""
        ...

    def solve(self) -> int:
        """Solves from zero angles until the aim is met or the solver stops; returns the number of steps."""
        ...

    def angles(self) -> np.ndarray:
        """The solution (n,) [rad] of `solve`."""
        ...


@dataclass(frozen=True)
class Entry:
    """A line of the table of contestants."""

    label: str
    what: str  # what is timed, as text for the table
    file: str  # name of the contestant's file in this folder
    environment: str = ".venv-bench"  # environment that contains the library
    tasks: int = 10**6  # largest number of tasks, for solvers that would take too long for all


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
    """The contestant of that name for a chain."""
    made: Contestant = import_module(f".{ENTRIES[name].file}", __package__).Contestant(name, body)
    return made
