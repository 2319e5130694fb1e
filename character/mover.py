"""What every mover has: a pure tick. Knows no Blender.

A mover is built once, from what seldom changes (joints, limits, solver, filters), and ticked every frame. A fourth kind of mover is one
more class with such a tick, and a `stage.Session` of each host that reads its inputs.
"""

from typing import Any, Protocol


class Outputs(Protocol):
    """What one tick says. Kinds of movers add errors of their tasks, and what is limited."""

    @property
    def at_rest(self) -> bool:
        """Whether the mover would stay as it is while its inputs do."""
        ...


class Mover(Protocol):
    """A chain, a body that follows a motion, or a mechanism."""

    def tick(self, inputs: Any, state: Any, dt: float) -> tuple[Any, Any]:
        """The next frame: outputs, and the state for the frame after. Pure: no clock, no scene, no hidden memory.

        Args:
            inputs: What the mover is asked for; None: it comes to rest where it was going.
            state: What the last tick returned; None at a new start, where motion begins at rest in the solution.
            dt: Time since then [s]; 0 solves without moving anything.

        Raises:
            ValueError: the inputs cannot be used; the message names what is wrong and the remedy.
        """
        ...
