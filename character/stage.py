"""A stage: movers that move together, ticked in the order of their dependencies.

A host (Blender, for example) has a `Session` for each mover, which reads the mover and its inputs from the
host's scene, and a `Host` for each frame, which knows dependencies and poses. The stage orders the movers,
asks each session for its inputs given the new poses of earlier movers, ticks it, and stores its state. States
are values, so undo, sub-frames, renders and bakes copy them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from .mover import Host, Mover, Part

Needs = Sequence[
    Sequence[int]
]  # for each mover the indices of the movers on which it depends; its own index if it depends on itself


class Frame(NamedTuple):
    """What a session may read in a frame: the mover and the poses of the scene as the host represents
    them.
    """

    host: Any
    part: Any  # the mover, as the host knows it
    view: (
        Any  # poses of the whole scene, with the results of the movers that were ticked earlier in this frame
    )
    targets: Any  # poses of targets: in a cycle with the movers' desired poses, else `view` itself
    ahead: Sequence[Any] = ()  # goals of the next frames, if they are known
    feedback: Any = None  # the mover through which `part` depends on itself, as the host knows it

    @property
    def is_mutual(self) -> bool:
        """Whether the targets are at the desired poses of other movers instead of their current ones."""
        return self.targets is not self.view


class Snapshot(NamedTuple):
    """State of a session as a value, to be restored later."""

    state: Any = None
    pose: Any = None
    pose_before: Any = None
    desired_pose: Any = None
    desired_before: Any = None


@dataclass
class Session(ABC):
    """State of one mover from frame to frame. Poses are in the host's own form; empty mappings if unknown."""

    state: Any = None  # state for the next tick; None: it begins at rest
    outputs: Any = None
    ticked: tuple[Any, Any] | None = None  # mover and inputs of the last tick; None: these could not be read
    problem: str = ""  # why the mover does not follow its goals, as a sentence with the remedy
    remark: str = ""  # how the mover falls short of its goals, as a sentence
    pose: Any = None
    pose_before: Any = None  # pose in the previous frame; empty at a new start
    desired_pose: Any = None  # pose before the motion filter, at which movers in a cycle aim
    desired_before: Any = None

    errors = (
        ValueError,
    )  # raised by `read` and by ticks: the mover comes to rest, with the message as its problem

    def __post_init__(self) -> None:
        if self.pose is None:
            self.restore(None)

    @abstractmethod
    def read(self, frame: Frame, dt: float) -> tuple[Mover, Any]:
        """Reads the mover and its inputs for a frame from the host's scene.

        Raises:
            ValueError: the set-up cannot be used; the message names what is wrong and the remedy.
        """

    @abstractmethod
    def show(self, frame: Frame) -> tuple[Any, Any]:
        """Poses of the mover in the host's form after a tick: the current one, and the desired one."""

    def advance(self, frame: Frame, dt: float) -> None:
        """Ticks once and stores the result in the session."""
        self.problem, inputs = "", None
        try:
            inputs = self.read(frame, dt)
            mover, tick_inputs = inputs
            self.outputs, self.state = self.tick(mover, tick_inputs, dt)
        except self.errors as error:
            self.problem = str(error)
            if self.state is not None:
                self.outputs, self.state = self.tick(self.state.model, None, dt)
        self.ticked = inputs
        if self.outputs is not None:
            self.pose, self.desired_pose = self.show(frame)

    def tick(self, mover: Mover, inputs: Any, dt: float) -> tuple[Any, Any]:
        """Outputs and next state of the mover; hosts may override it to measure time."""
        return mover.tick(inputs, self.state, dt)

    def differs(self, frame: Frame) -> bool:
        """Whether inputs have changed since the last tick, or became valid or invalid."""
        before = self.ticked
        try:
            mover, inputs = self.read(frame, 0.0)
        except self.errors as error:
            return str(error) != self.problem
        return before is None or mover is not before[0] or inputs != before[1]

    @property
    def is_settled(self) -> bool:
        """Whether the session's own state, such as its attention, stays constant as long as its
        targets do.
        """
        return True

    @property
    def is_at_rest(self) -> bool:
        """Whether the mover will not move while its inputs stay constant."""
        return self.is_settled and (self.outputs is None or self.state is None or self.outputs.at_rest)

    def restart(self) -> None:
        """Discards the motion: the next tick begins at rest."""
        self.state, self.pose_before, self.desired_before = None, {}, {}

    def snapshot(self) -> Snapshot:
        """State of the session, for a later `restore`."""
        return Snapshot(self.state, self.pose, self.pose_before, self.desired_pose, self.desired_before)

    def restore(self, snapshot: Snapshot | None) -> None:
        """Restores a snapshot; None: the state of a new session."""
        restored = snapshot or Snapshot(None, {}, {}, {}, {})
        self.state, self.pose, self.pose_before, self.desired_pose, self.desired_before = restored

    def commit(self) -> None:
        """Takes the current poses as those of the last frame."""
        self.pose_before, self.desired_before = (
            (self.pose, self.desired_pose) if self.state is not None else ({}, {})
        )


class Order(NamedTuple):
    """Indices of movers in the order of ticking, and the cycles among them."""

    indices: Sequence[int]
    cyclic: frozenset[int] = frozenset()  # movers in a cycle that read the others' desired poses
    feedback: Mapping[int, int] = MappingProxyType(
        {}
    )  # other movers that depend on themselves -> the mover through which they do


class Stage:
    """Sessions of movers by their keys. Live motion, a render and a bake each have a stage of their own."""

    def __init__(self) -> None:
        self.sessions: dict[Any, Any] = {}
        self.cyclic: frozenset[Hashable] = frozenset()  # keys of movers that were in a cycle at the last tick
        self.feedback: dict[
            Hashable, Hashable
        ] = {}  # key of a mover that depends on itself -> key of the mover through which it does

    def of(self, part: Part) -> Any:
        """Session of a mover; created if it does not exist."""
        key = part.key
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = part.new_session()
        return session

    def snapshot(self) -> dict[Any, Snapshot]:
        """State of all sessions, for a later `copy`."""
        return {key: session.snapshot() for key, session in list(self.sessions.items())}

    def copy(self, snapshot: Mapping[Any, Snapshot] | None = None) -> "Stage":
        """An independent copy of the stage, in its current state or an earlier snapshot."""
        other = self.empty()
        for key, session in list(
            self.sessions.items()
        ):  # a copy of the items, since a render copies the stage on another thread
            other.sessions[key] = copied = replace(session)
            if snapshot is not None:
                copied.restore(snapshot.get(key))
        return other

    def empty(self) -> "Stage":
        """A new stage of the same kind, without sessions."""
        return type(self)()

    def restart(self) -> None:
        for session in self.sessions.values():
            session.restart()

    def tick(self, parts: Sequence[Any], host: Host, dt: float, ahead: Mapping[Any, Sequence[Any]]) -> None:
        """Ticks movers once; the results are in their sessions.

        In a cycle, such as chains that look at each other, the first mover reads the others' poses of the
        last frame, and all aim at the others' desired poses. If they aimed at current poses, each would chase
        the other's filter lag and oscillate.

        Args:
            parts: The movers, as their host represents them.
            host: The scene in this frame.
            dt: Time since the last tick [s]; 0: the same frame again.
            ahead: Goals of the next frames, if known, by the movers' keys.
        """
        sessions = [self.of(part) for part in parts]
        if dt > 0.0:
            for session in sessions:
                session.commit()
        order = self.in_order(parts, host)
        self.cyclic, self.feedback = frozenset(parts[k].key for k in order.cyclic), _by_keys(parts, order)
        placed = list(zip(parts, sessions, strict=True))
        view = host.view([(part, session, session.pose_before) for part, session in placed])
        desired = view
        if order.cyclic:
            desired = host.view([(part, session, session.desired_before) for part, session in placed])
        is_put = False
        for index in order.indices:
            part, session, is_cyclic = parts[index], sessions[index], index in order.cyclic
            if (
                is_cyclic and not is_put
                # movers of the cycle that are not ticked yet have their last poses, also on a body that has
                # moved
            ):
                is_put = True
                for other in order.cyclic:
                    parts[other].place(view, sessions[other].pose_before)
                    parts[other].place(desired, sessions[other].desired_before)
            feedback = order.feedback.get(index)
            frame = Frame(
                host,
                part,
                view,
                desired if is_cyclic else view,
                ahead.get(part.key, ()),
                parts[feedback] if feedback is not None else None,
            )
            session.advance(frame, dt)
            part.place(view, session.pose)
            if desired is not view:
                part.place(desired, session.desired_pose)

    def in_order(self, parts: Sequence[Any], host: Host) -> Order:
        looks_forward = [part.looks_forward for part in parts]
        return in_order(host.needs(parts), looks_forward, lambda: host.needs(parts, certain=True))

    def is_at_rest(self, parts: Sequence[Any]) -> bool:
        """Whether no mover will move while everything else stays constant."""
        sessions = [self.of(part) for part in parts]
        if not all(session.is_at_rest for session in sessions):
            return False
        cyclic = [self.sessions[key] for key in self.cyclic if key in self.sessions]
        return all(
            cyclic_session.pose == cyclic_session.pose_before
            and cyclic_session.desired_pose == cyclic_session.desired_before
            for cyclic_session in cyclic
        )

    def has_changed(self, parts: Sequence[Any], host: Host) -> bool:
        """Whether inputs of a mover have changed since the last tick, or became valid or invalid."""
        if not self.is_at_rest(parts):
            return True
        sessions = [(part, self.of(part)) for part in parts]
        view = host.view(
            [(part, session, session.pose if session.state is not None else {}) for part, session in sessions]
        )
        if any(session.differs(Frame(host, part, view, view)) for part, session in sessions):
            return True
        return bool(self.feedback) and _by_keys(parts, self.in_order(parts, host)) != self.feedback

    def view(
        self, parts: Sequence[Any], host: Host, pose: Callable[[Any], Any] = lambda session: session.pose
    ) -> Any:
        """Poses of everything in the scene with the movers' newest poses; movers that were not ticked yet are
        left as they are.
        """
        return host.view([(part, self.of(part), pose(self.of(part))) for part in parts])


def _by_keys(parts: Sequence[Any], order: Order) -> dict[Hashable, Hashable]:
    return {parts[k].key: parts[back].key for k, back in order.feedback.items()}


def in_order(needs: Needs, looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> Order:
    """The order of ticking, and the cycles.

    Args:
        needs: For each mover the indices of those on which it depends. Movers that do not depend on each
            other keep their order.
        looks_forward: For each mover whether, in a cycle, it reads the desired poses of the others instead of
            their last poses.
        certain: Returns `needs` without uncertain dependencies; called only if there is a cycle.
    """
    ordered: list[int] = []
    begun: set[int] = set()
    is_cyclic = any(k in above for k, above in enumerate(needs))

    def visit(k: int) -> None:
        nonlocal is_cyclic
        begun.add(k)
        for above in needs[k]:
            if above not in begun:
                visit(above)
            elif above not in ordered:
                is_cyclic = True
        ordered.append(k)

    for k in range(len(needs)):
        if k not in begun:
            visit(k)
    if not is_cyclic:
        return Order(ordered)
    forward = [
        [j for j in above if looks_forward[j]] if looks_forward[k] else [] for k, above in enumerate(needs)
    ]
    cyclic = frozenset(k for k, does in enumerate(looks_forward) if does and _leads_to(forward, k, k))
    backward = [k for k, does in enumerate(looks_forward) if not does]
    feedback, surely = {}, certain() if backward else []
    for k in backward:
        back = next((above for above in surely[k] if above == k or _leads_to(surely, above, k)), None)
        if back is not None:
            feedback[k] = back
    return Order(ordered, cyclic, feedback)


def _leads_to(needs: Needs, start: int, end: int) -> bool:
    """Whether `start` depends on `end`, directly or through others."""
    visited, left = set(), list(needs[start])
    while left:
        k = left.pop()
        if k == end:
            return True
        if k not in visited:
            visited.add(k)
            left += needs[k]
    return False
