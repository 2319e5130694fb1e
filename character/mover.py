"""Interface of a mover: a pure tick. Knows no Blender.

A mover is built once from what rarely changes (joints, limits, solver, filters), and ticked every frame. A fourth kind of mover is another
class with such a tick, and for each host a `stage.Session` that reads its inputs.
"""

from typing import Any, Protocol


class Outputs(Protocol):
    """Result of one tick. Each kind of mover adds errors of its goals, and active limits."""

    @property
    def at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        ...


class Mover(Protocol):
    """Interface of a mover: a chain, a body that follows a motion, or a mechanism."""

    def tick(self, inputs: Any, state: Any, dt: float) -> tuple[Any, Any]:
        """The next frame: outputs, and the state for the frame after. A pure function: it uses no clock, no scene and no other memory.

        Args:
            inputs: The mover's goals and settings in this frame; None: the mover comes to rest at its last target.
            state: State that the last tick returned; None at a new start, where motion begins at rest in the solution.
            dt: Time step [s]; 0 solves without moving anything.

        Raises:
            ValueError: the inputs cannot be used; the message names what is wrong and the remedy.
        """
        ...
