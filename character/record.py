"""Record of a mover's motion from frame to frame.

A host, such as Blender, has a record for each of its movers. It reads the mover's inputs, ticks the record,
and shows the result; the engine never calls the host.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, Never, Self, TypeVar

from .mover import MoverModel, MoverState, Outputs

Pose = TypeVar("Pose")  # pose of one mover, in the host's form; comparable by ==
NoPose = Mapping[str, Never]  # the empty mapping, if the pose is not known


class RecordSnapshot(NamedTuple, Generic[Pose]):
    """State of a record as a value that can be restored later."""

    state: MoverState | None
    state_before: MoverState | None
    pose: Pose | NoPose
    pose_before: Pose | NoPose
    desired_pose: Pose | NoPose
    desired_before: Pose | NoPose


@dataclass
class MoverRecord(Generic[Pose]):
    """Motion of one mover from frame to frame: its state, its last outputs, and its poses in the host's
    form.
    """

    state: MoverState | None = None  # state for the next tick; None: motion begins at rest
    state_before: MoverState | None = None  # state in the previous frame; None at a new start
    outputs: Outputs | None = None
    # model and inputs of the last tick; None if they could not be read
    ticked: tuple[MoverModel, object] | None = None
    problem: str = ""  # why the mover does not follow its goals, as a sentence with the remedy
    remark: str = ""  # how the mover falls short of its goals, as a sentence
    # pose in the current frame; empty if not known
    pose: Pose | NoPose = field(default_factory=dict)
    # pose in the previous frame; empty at a new start
    pose_before: Pose | NoPose = field(default_factory=dict)
    # pose before the motion filter, which is the target for movers in a cycle
    desired_pose: Pose | NoPose = field(default_factory=dict)
    desired_before: Pose | NoPose = field(default_factory=dict)

    def begin(self) -> None:
        """Begins the mover's turn in a frame, by clearing its problem and its last inputs. The host then
        reads the inputs and calls `tick`, or `rest` if they cannot be read or ticked.
        """
        self.problem, self.ticked = "", None

    def rest(self, problem: str, dt: float) -> None:
        """Makes the mover come to rest, instead of a tick of `dt` [s]; `problem`: the reason."""
        self.problem = problem
        if self.state is not None:
            self.outputs, self.state = self.state.model.tick(None, self.state, dt)

    def tick(self, model: MoverModel, inputs: object, dt: float) -> None:
        """Ticks the mover's model by `dt` [s]; raises ValueError as `MoverModel.tick`."""
        self.ticked = model, inputs
        self.outputs, self.state = model.tick(inputs, self.state, dt)

    def differs(self, model: MoverModel, inputs: object) -> bool:
        """Whether the model or its inputs are not those of the last tick."""
        before = self.ticked
        return before is None or model is not before[0] or inputs != before[1]

    @property
    def is_at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        return self.outputs is None or self.state is None or self.outputs.at_rest

    def commit(self) -> None:
        """Takes the current state and poses as those of the previous frame; without a state, no poses."""
        self.state_before = self.state
        self.pose_before, self.desired_before = (
            (self.pose, self.desired_pose) if self.state is not None else ({}, {})
        )

    def restart(self) -> None:
        """Discards the motion: the next tick begins at rest."""
        self.state, self.state_before, self.pose_before, self.desired_before = None, None, {}, {}

    def clear(self) -> None:
        """Discards the motion and its results, because the mover has changed, for example its joints."""
        self.outputs = self.ticked = None
        self.pose, self.desired_pose = {}, {}
        self.restart()

    def snapshot(self) -> RecordSnapshot[Pose]:
        """State of the record, for a later `restored`."""
        return RecordSnapshot(
            self.state,
            self.state_before,
            self.pose,
            self.pose_before,
            self.desired_pose,
            self.desired_before,
        )

    def restored(self, snapshot: RecordSnapshot[Pose] | None) -> Self:
        """A copy of the record with the state and poses of a snapshot; None: without any, so that motion
        begins at rest. Outputs, last inputs, problem and remark stay those of this record.
        """
        before = snapshot or RecordSnapshot(None, None, {}, {}, {}, {})
        return replace(self, **before._asdict())
