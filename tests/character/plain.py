"""A host without Blender: movers whose inputs are functions of a frame's number and of what earlier movers have come to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from limber.character.chain.inputs import ChainInputs
from limber.character.stage import Frame, Planning, Session, Stage

View = Mapping[str, Any]  # what movers have come to: outputs by their keys


class PlainSession(Session):
    """What is known of a mover: its poses are its outputs."""

    def read(self, frame: Frame, dt: float) -> tuple:
        inputs = frame.part.inputs(frame.view, frame.host.number)
        if isinstance(inputs, ChainInputs):
            inputs = replace(inputs, slot=frame.slot, is_mutual=frame.is_mutual, ahead=frame.ahead)
        return frame.part.model, inputs

    def show(self, frame: Frame) -> tuple:
        return self.outputs, self.outputs


@dataclass(frozen=True)
class PlainMover:
    """A mover of a scene in plain Python."""

    key: str
    model: Any
    inputs: Callable[[View, int], Any]  # from what others have come to, and the frame's number
    after: tuple[str, ...] = ()  # keys of those on which it depends
    planning: Planning | None = None
    looks_forward: bool = False

    def new_session(self) -> PlainSession:
        return PlainSession()

    def place(self, view: dict, pose: Any) -> None:
        if pose:
            view[self.key] = pose


@dataclass(frozen=True)
class PlainHost:
    """A frame of such a scene."""

    number: int

    def needs(self, movers: Sequence[PlainMover], certain: bool = False) -> list[list[int]]:
        return [[k for k, other in enumerate(movers) if other.key in mover.after] for mover in movers]

    def view(self, poses: Sequence[tuple]) -> dict:
        return {mover.key: pose for mover, _, pose in poses if pose}


def played(movers: Sequence[PlainMover], frames: int, dt: float, stage: Stage | None = None, first: int = 0) -> list[dict[str, Any]]:
    """The outputs of movers by their keys, frame by frame; without a stage they begin at rest in the first frame."""
    begins, stage, found = stage is None, stage or Stage(), []
    for number in range(first, first + frames):
        stage.tick(movers, PlainHost(number), 0.0 if begins and number == first else dt, {})
        for mover in movers:
            assert stage.of(mover).problem == "", stage.of(mover).problem
        found.append({mover.key: stage.of(mover).outputs for mover in movers})
    return found
