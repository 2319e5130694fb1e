"""Interface of a host, such as Blender: its movers, a session of each, and the poses of its scene in a frame.

A host has a `Session` class for each kind of mover, which reads the mover and its inputs from the host's
scene, and a `Host` object for each frame, which has dependencies and poses.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Never, Protocol, TypeVar

from ..solvers.goals import GazeGoal
from .mover import MoverModel, MoverState, Outputs

View = TypeVar("View")  # poses of everything in the scene, in the host's form
Pose = TypeVar("Pose")  # pose of one mover, in the host's form; comparable by ==
NoPose = Mapping[str, Never]  # the empty mapping, if the pose is not known


class Frame(NamedTuple, Generic[View, Pose]):
    """Everything that a session may read in a frame: the mover, and the poses of the scene in the host's
    form.
    """

    host: "Host[View, Pose]"
    mover: "SceneMover[View, Pose]"
    view: View  # poses of the whole scene, with the results of movers that were ticked before
    targets: View  # poses of targets: in a cycle with the movers' desired poses, else the same as `view`
    ahead: Sequence[GazeGoal] = ()  # goals of the next frames, if they are known
    # the mover through which `mover` depends on itself; None without a cycle
    feedback: "SceneMover[View, Pose] | None" = None

    @property
    def is_mutual(self) -> bool:
        """Whether the targets have the desired poses of other movers, in place of their current poses."""
        return self.targets is not self.view


class Snapshot(NamedTuple, Generic[Pose]):
    """State of a session as a value that can be restored later."""

    state: MoverState | None
    pose: Pose | NoPose
    pose_before: Pose | NoPose
    desired_pose: Pose | NoPose
    desired_before: Pose | NoPose


@dataclass
class Session(ABC, Generic[View, Pose]):
    """State of one mover from frame to frame. A host has a subclass for each kind of mover."""

    state: MoverState | None = None  # state for the next tick; None: motion begins at rest
    outputs: Outputs | None = None
    # model and inputs of the last tick; None if they could not be read
    ticked: tuple[MoverModel, object] | None = None
    problem: str = ""  # why the mover does not follow its goals, as a sentence with the remedy
    remark: str = ""  # how the mover falls short of its goals, as a sentence
    pose: Pose | NoPose = field(default_factory=dict)
    # pose in the previous frame; empty at a new start
    pose_before: Pose | NoPose = field(default_factory=dict)
    # pose before the motion filter, which is the target for movers in a cycle
    desired_pose: Pose | NoPose = field(default_factory=dict)
    desired_before: Pose | NoPose = field(default_factory=dict)

    errors = (
        ValueError,
    )  # raised by `read` and by ticks: the mover then comes to rest, with the message as its problem

    @abstractmethod
    def read(self, frame: Frame[View, Pose], dt: float) -> tuple[MoverModel, object]:
        """Reads the mover's model and its inputs for a frame from the host's scene.

        Raises:
            ValueError: the setup cannot be used; the message names the fault and the remedy.
        """

    @abstractmethod
    def show(self, frame: Frame[View, Pose]) -> tuple[Pose | NoPose, Pose | NoPose]:
        """Poses of the mover in the host's form after a tick: the current one, and the desired one."""

    def advance(self, frame: Frame[View, Pose], dt: float) -> None:
        """Ticks once and stores the result in the session."""
        self.problem, inputs = "", None
        try:
            inputs = self.read(frame, dt)
            model, tick_inputs = inputs
            self.outputs, self.state = self.tick(model, tick_inputs, dt)
        except self.errors as error:
            self.problem = str(error)
            if self.state is not None:
                self.outputs, self.state = self.tick(self.state.model, None, dt)
        self.ticked = inputs
        if self.outputs is not None:
            self.pose, self.desired_pose = self.show(frame)

    def tick(self, model: MoverModel, inputs: object, dt: float) -> tuple[Outputs, MoverState]:
        """Outputs and next state of the mover; hosts may override it to measure time."""
        return model.tick(inputs, self.state, dt)

    def differs(self, frame: Frame[View, Pose]) -> bool:
        """Whether inputs have changed since the last tick, or have become valid or invalid."""
        before = self.ticked
        try:
            model, inputs = self.read(frame, 0.0)
        except self.errors as error:
            return str(error) != self.problem
        return before is None or model is not before[0] or inputs != before[1]

    @property
    def is_settled(self) -> bool:
        """Whether the session's own state, such as its attention, stays constant while its targets do."""
        return True

    @property
    def is_at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        return self.is_settled and (self.outputs is None or self.state is None or self.outputs.at_rest)

    def restart(self) -> None:
        """Discards the motion: the next tick begins at rest."""
        self.state, self.pose_before, self.desired_before = None, {}, {}

    def snapshot(self) -> Snapshot[Pose]:
        """State of the session, for a later `restore`."""
        return Snapshot(self.state, self.pose, self.pose_before, self.desired_pose, self.desired_before)

    def restore(self, snapshot: Snapshot[Pose] | None) -> None:
        """Restores a snapshot, or the state of a new session for None."""
        restored = snapshot or Snapshot(None, {}, {}, {}, {})
        self.state, self.pose, self.pose_before, self.desired_pose, self.desired_before = restored

    def commit(self) -> None:
        """Takes the current poses as those of the last frame."""
        self.pose_before, self.desired_before = (
            (self.pose, self.desired_pose) if self.state is not None else ({}, {})
        )


class SceneMover(Protocol[View, Pose]):
    """Interface of a mover as its host represents it."""

    @property
    def key(self) -> Hashable: ...

    @property
    def looks_forward(self) -> bool:
        """Whether this mover, in a cyclic dependency, reads the desired poses of the other movers in place of
        their last poses.
        """
        ...

    def new_session(self) -> Session[View, Pose]: ...

    def place(self, view: View, pose: Pose | NoPose) -> None:
        """Writes the mover's pose to a view."""
        ...


class Host(Protocol[View, Pose]):
    """Interface of a host, such as Blender, in one frame: dependencies between movers, and poses of the
    scene.
    """

    def needs(self, movers: Sequence[SceneMover[View, Pose]], certain: bool = False) -> list[list[int]]:
        """For each mover the indices of those on which it depends; `certain`: only certain dependencies."""
        ...

    def view(
        self, poses: Sequence[tuple[SceneMover[View, Pose], Session[View, Pose], Pose | NoPose]]
    ) -> View:
        """Poses of everything in the scene, given the poses of these movers."""
        ...
