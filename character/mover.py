"""Interface of a mover: a model with a pure tick.

The model is built once from data that rarely changes (joints, limits, solver, filters), and ticked in every
frame. A new kind of mover needs another class with such a tick and, in each host, code that reads its inputs.
"""

from typing import Any, NamedTuple, Protocol


class GoalResidual(NamedTuple):
    """Error of one goal of a mover, as solved, before the motion filter."""

    name: str  # name of the end, body or other owner of the goal, as used in messages
    angle: float  # [rad] error of the orientation; 0 if the goal has none
    distance: float  # [m] error of the position; 0 if the goal has none


class Outputs(Protocol):
    """Result of one tick of a mover. Each kind of mover adds errors of its goals, and active limits."""

    @property
    def at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        ...


class MoverState(Protocol):
    """State of a mover, passed on to the next tick; a value that is never changed."""

    @property
    def model(self) -> "MoverModel":
        """The model of the mover whose tick made this state."""
        ...


class MoverModel(Protocol):
    """Interface of a mover's model, for a chain, a body that follows a motion, or a mechanism."""

    # Any: each kind of mover has its own types of inputs and state, known only to the host's code for that
    # kind
    def tick(self, inputs: Any, state: Any, dt: float) -> tuple[Outputs, MoverState]:
        """The next frame: outputs, and the state for the frame after. A pure function: it uses no clock, no
        scene and no other memory.

        Args:
            inputs: The mover's goals and settings in this frame; None: the mover comes to rest at its last
                target.
            state: State returned by the last tick; None at a new start, where motion begins at rest at the
                solution.
            dt: Time step [s]; 0 solves without moving anything.

        Raises:
            ValueError: the inputs cannot be used; the message names the fault and the remedy.
        """
        ...
