"""A host without Blender: movers whose inputs are functions of the frame's number and of the poses of earlier
movers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from limber.character.chain.inputs import ChainInputs
from limber.character.record import MoverRecord
from limber.character.stage import commit, in_order, is_at_rest, turns


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


@dataclass(frozen=True)
class PlainMover:
    """A mover of a scene in plain Python."""

    key: str
    model: Any
    # computes the inputs from the results of other movers and the frame's number
    inputs: Callable[[View, int], Any]
    after: tuple[str, ...] = ()  # keys of the movers on which it depends
    looks_forward: bool = False


@dataclass
class PlainStage:
    """Records of movers, by their keys."""

    records: dict[str, MoverRecord] = field(default_factory=dict)
    cyclic: set[str] = field(default_factory=set)  # movers in a cycle at the last tick

    def of(self, mover: PlainMover) -> MoverRecord:
        return self.records.setdefault(mover.key, MoverRecord())

    def copy(self, snapshots: Mapping[str, Any]) -> "PlainStage":
        return PlainStage({key: record.restored(snapshots[key]) for key, record in self.records.items()})

    def snapshots(self) -> dict[str, Any]:
        return {key: record.snapshot() for key, record in self.records.items()}

    def tick(self, movers: Sequence[PlainMover], number: int, dt: float) -> None:
        """Ticks movers in a frame of this number."""
        records = [self.of(mover) for mover in movers]
        needs = [[k for k, other in enumerate(movers) if other.key in mover.after] for mover in movers]
        order = in_order(needs, [mover.looks_forward for mover in movers])
        self.cyclic = {movers[k].key for k in order.cyclic}
        commit(records, dt)
        view = targets = _view(movers, [record.pose_before for record in records])
        if order.cyclic:
            targets = _view(movers, [record.desired_before for record in records])
        for turn in turns(order, records):
            for k, pose, desired in turn.moved:
                view |= _view([movers[k]], [pose])
                if order.cyclic:
                    targets |= _view([movers[k]], [desired])
            mover, record = movers[turn.mover], records[turn.mover]
            record.begin()
            try:
                inputs = mover.inputs(targets if turn.is_mutual else view, number)
                if isinstance(inputs, ChainInputs):
                    inputs = replace(inputs, is_mutual=turn.is_mutual)
                record.tick(mover.model, inputs, dt)
            except ValueError as error:
                record.rest(str(error), dt)
            record.pose, record.desired_pose = _shown(record.outputs, turn.is_mutual)

    def is_at_rest(self, movers: Sequence[PlainMover]) -> bool:
        return is_at_rest(map(self.of, movers), [self.records[key] for key in self.cyclic])


def _view(movers: Sequence[PlainMover], poses: Sequence[Any]) -> dict[str, Pose]:
    return {mover.key: pose for mover, pose in zip(movers, poses, strict=True) if pose}


def _shown(outputs: Any, is_mutual: bool) -> tuple[Pose, Pose]:
    """Current and desired pose."""
    shown = Pose(tuple(values(outputs)), outputs)
    if not is_mutual:
        return shown, shown
    return shown, Pose(tuple(outputs.desired), replace(outputs, angles=outputs.desired))


def played(
    movers: Sequence[PlainMover], frames: int, dt: float, stage: PlainStage | None = None, first: int = 0
) -> list[dict[str, Any]]:
    """Plays movers; returns their outputs by key for each frame. Without a stage they begin at rest in the
    first frame.
    """
    begins, stage, found = stage is None, stage or PlainStage(), []
    for number in range(first, first + frames):
        stage.tick(movers, number, 0.0 if begins and number == first else dt)
        for mover in movers:
            assert stage.of(mover).problem == "", stage.of(mover).problem
        found.append({mover.key: stage.of(mover).outputs for mover in movers})
    return found
