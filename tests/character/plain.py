"""A host without Blender: movers whose inputs are functions of the frame's number and of the poses of earlier
movers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from limber.character.chain.inputs import ChainInputs
from limber.character.host import Frame, Session
from limber.character.stage import Stage


@dataclass(frozen=True)
class Pose:
    """Result of a mover in a frame."""

    values: tuple[float, ...]  # [rad or m] values of its joints
    outputs: Any = field(compare=False)


View = Mapping[str, Pose]  # key of a mover -> its result


def values(outputs: Any) -> list[float]:
    """Values of all joints [rad or m], and of a body's base, from the motion filter or a body's solver."""
    if hasattr(outputs, "state"):
        return [*outputs.state.joints, *outputs.state.base_position, *outputs.state.base_rotation.ravel()]
    return list(outputs.angles if hasattr(outputs, "angles") else outputs.values)


class PlainSession(Session):
    """Session of a mover."""

    def read(self, frame: Frame, dt: float) -> tuple:
        inputs = frame.mover.inputs(frame.targets, frame.host.number)
        if isinstance(inputs, ChainInputs):
            inputs = replace(inputs, is_mutual=frame.is_mutual, ahead=frame.ahead)
        return frame.mover.model, inputs

    def show(self, frame: Frame) -> tuple:
        shown = Pose(tuple(values(self.outputs)), self.outputs)
        if not frame.is_mutual:
            return shown, shown
        return shown, Pose(tuple(self.outputs.desired), replace(self.outputs, angles=self.outputs.desired))


@dataclass(frozen=True)
class PlainMover:
    """A mover of a scene in plain Python."""

    key: str
    model: Any
    # computes the inputs from the results of other movers and the frame's number
    inputs: Callable[[View, int], Any]
    after: tuple[str, ...] = ()  # keys of the movers on which it depends
    looks_forward: bool = False

    def new_session(self) -> PlainSession:
        return PlainSession()

    def place(self, view: dict, pose: Any) -> None:
        if pose:
            view[self.key] = pose


@dataclass(frozen=True)
class PlainHost:
    """One frame of such a scene."""

    number: int

    def needs(self, movers: Sequence[PlainMover], certain: bool = False) -> list[list[int]]:
        return [[k for k, other in enumerate(movers) if other.key in mover.after] for mover in movers]

    def view(self, poses: Sequence[tuple]) -> dict:
        return {mover.key: pose for mover, _, pose in poses if pose}


def played(
    movers: Sequence[PlainMover], frames: int, dt: float, stage: Stage | None = None, first: int = 0
) -> list[dict[str, Any]]:
    """Plays movers; returns their outputs by key for each frame. Without a stage they begin at rest in the
    first frame.
    """
    begins, stage, found = stage is None, stage or Stage(), []
    for number in range(first, first + frames):
        stage.tick(movers, PlainHost(number), 0.0 if begins and number == first else dt, {})
        for mover in movers:
            assert stage.of(mover).problem == "", stage.of(mover).problem
        found.append({mover.key: stage.of(mover).outputs for mover in movers})
    return found
