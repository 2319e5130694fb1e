"""Interface of a mover: a model with a pure tick.

The model is built once from what rarely changes (joints, limits, solver, filters), and ticked every frame. A
fourth kind of mover is another class with such a tick, and for each host a `host.Session` that reads its
inputs.
"""

from typing import Any, NamedTuple, Protocol


class GoalResidual(NamedTuple):
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


class MoverState(Protocol):
    """State of a mover, passed on to the next tick; a value that is never changed."""

    @property
    def model(self) -> "MoverModel":
        """The model that made it."""
        ...


class MoverModel(Protocol):
    """Interface of a mover's model: of a chain, a body that follows a motion, or a mechanism."""

    # Any: each kind of mover has its own inputs and its own state, which only its session knows.
    def tick(self, inputs: Any, state: Any, dt: float) -> tuple[Outputs, MoverState]:
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
