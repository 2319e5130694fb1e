"""Interfaces: a mover with its pure tick, and a host, such as Blender, that provides movers and the scene.

A mover is built once from what rarely changes (joints, limits, solver, filters), and ticked every frame. A
fourth kind of mover is another class with such a tick, and for each host a `stage.Session` that reads its
inputs.
"""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol


class GoalError(NamedTuple):
    """Error of one goal of a mover, as solved, before the motion filter."""

    name: str  # of what has the goal, as in sentences
    angle: float  # [rad] 0 where the goal has no orientation
    distance: float  # [m] 0 where the goal has no position


class Outputs(Protocol):
    """Result of one tick. Each kind of mover adds errors of its goals, and active limits."""

    @property
    def at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        ...


class Mover(Protocol):
    """Interface of a mover: a chain, a body that follows a motion, or a mechanism."""

    def tick(self, inputs: Any, state: Any, dt: float) -> tuple[Any, Any]:
        """The next frame: outputs, and the state for the frame after. A pure function: it uses no clock, no
        scene and no other memory.

        Args:
            inputs: The mover's goals and settings in this frame; None: the mover comes to rest at its last
                target.
            state: State that the last tick returned; None at a new start, where motion begins at rest in the
                solution.
            dt: Time step [s]; 0 solves without moving anything.

        Raises:
            ValueError: the inputs cannot be used; the message names what is wrong and the remedy.
        """
        ...


class Part(Protocol):
    """Interface of a mover as its host represents it."""

    @property
    def key(self) -> Hashable: ...

    @property
    def looks_forward(self) -> bool:
        """Whether, in a cyclic dependency, this mover reads the desired poses of the other movers instead of
        their last poses.
        """
        ...

    def new_session(self) -> Any: ...

    def place(self, view: Any, pose: Any) -> None:
        """Writes the mover's pose to a view (the poses of the scene in the host's form)."""
        ...


class Host(Protocol):
    """Interface of a host, such as Blender, in one frame: dependencies between movers, and poses of the
    scene.
    """

    def needs(self, parts: Sequence[Any], certain: bool = False) -> list[list[int]]:
        """For each mover the indices of those on which it depends; `certain`: without uncertain
        dependencies.
        """
        ...

    def view(self, poses: Sequence[tuple[Any, Any, Any]]) -> Any:
        """Poses of everything in the scene, given the poses of these movers."""
        ...
