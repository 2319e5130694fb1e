"""A stage: movers that move together, ticked in the order of their dependencies.

A host has a session for each mover and describes each frame (`host`). The stage orders the movers, asks each
session for its inputs given the new poses of earlier movers, ticks it, and stores its state. States are
values, so undo, sub-frames, renders and bakes copy them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, Self

from ..solvers.goals import GazeGoal
from .host import Frame, Host, Pose, SceneMover, Session, Snapshot, View
from .order import TickOrder, in_order


class Stage(Generic[View, Pose]):
    """Sessions of movers by their keys. Live motion, a render and a bake each have a stage of their own."""

    def __init__(self) -> None:
        self.sessions: dict[Hashable, Session[View, Pose]] = {}
        self.cyclic: frozenset[Hashable] = frozenset()  # keys of movers that were in a cycle at the last tick
        self.feedback: dict[
            Hashable, Hashable
        ] = {}  # key of a mover that depends on itself -> key of the mover through which it does

    def of(self, mover: SceneMover[View, Pose]) -> Session[View, Pose]:
        """Session of a mover; created if it does not exist."""
        key = mover.key
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = mover.new_session()
        return session

    def snapshot(self) -> dict[Hashable, Snapshot[Pose]]:
        """State of all sessions, for a later `copy`."""
        return {key: session.snapshot() for key, session in list(self.sessions.items())}

    def copy(self, snapshot: Mapping[Hashable, Snapshot[Pose]] | None = None) -> Self:
        """An independent copy of the stage, in its current state or an earlier snapshot."""
        other = self.empty()
        for key, session in list(
            self.sessions.items()
        ):  # a copy of the items, since a render copies the stage on another thread
            other.sessions[key] = copied = replace(session)
            if snapshot is not None:
                copied.restore(snapshot.get(key))
        return other

    def empty(self) -> Self:
        """A new stage of the same kind, without sessions."""
        return type(self)()

    def restart(self) -> None:
        for session in self.sessions.values():
            session.restart()

    def tick(
        self,
        movers: Sequence[SceneMover[View, Pose]],
        host: Host[View, Pose],
        dt: float,
        ahead: Mapping[Hashable, Sequence[GazeGoal]],
    ) -> None:
        """Ticks movers once; the results are in their sessions.

        In a cycle, such as chains that look at each other, the first mover reads the others' poses of the
        last frame, and all aim at the others' desired poses. If they aimed at current poses, each would chase
        the other's filter lag and oscillate.

        Args:
            movers: The movers, as their host represents them.
            host: The scene in this frame.
            dt: Time since the last tick [s]; 0: the same frame again.
            ahead: Goals of the next frames, if known, by the movers' keys.
        """
        sessions = [self.of(mover) for mover in movers]
        if dt > 0.0:
            for session in sessions:
                session.commit()
        order = self.in_order(movers, host)
        self.cyclic, self.feedback = frozenset(movers[k].key for k in order.cyclic), _by_keys(movers, order)
        placed = list(zip(movers, sessions, strict=True))
        view, desired = _views(host, placed, bool(order.cyclic))
        first_cyclic = next((k for k in order.indices if k in order.cyclic), None)
        for index in order.indices:
            mover, session, is_cyclic = movers[index], sessions[index], index in order.cyclic
            if index == first_cyclic:
                _place_last([placed[k] for k in order.cyclic], view, desired)
            feedback = order.feedback.get(index)
            frame = Frame(
                host,
                mover,
                view,
                desired if is_cyclic else view,
                ahead.get(mover.key, ()),
                movers[feedback] if feedback is not None else None,
            )
            session.advance(frame, dt)
            mover.place(view, session.pose)
            if desired is not view:
                mover.place(desired, session.desired_pose)

    def in_order(self, movers: Sequence[SceneMover[View, Pose]], host: Host[View, Pose]) -> TickOrder:
        looks_forward = [mover.looks_forward for mover in movers]
        return in_order(host.needs(movers), looks_forward, lambda: host.needs(movers, certain=True))

    def is_at_rest(self, movers: Sequence[SceneMover[View, Pose]]) -> bool:
        """Whether no mover will move while everything else stays constant."""
        sessions = [self.of(mover) for mover in movers]
        if not all(session.is_at_rest for session in sessions):
            return False
        cyclic = [self.sessions[key] for key in self.cyclic if key in self.sessions]
        return all(
            cyclic_session.pose == cyclic_session.pose_before
            and cyclic_session.desired_pose == cyclic_session.desired_before
            for cyclic_session in cyclic
        )

    def has_changed(self, movers: Sequence[SceneMover[View, Pose]], host: Host[View, Pose]) -> bool:
        """Whether inputs of a mover have changed since the last tick, or became valid or invalid."""
        if not self.is_at_rest(movers):
            return True
        sessions = [(mover, self.of(mover)) for mover in movers]
        view = host.view(
            [
                (mover, session, session.pose if session.state is not None else {})
                for mover, session in sessions
            ]
        )
        if any(session.differs(Frame(host, mover, view, view)) for mover, session in sessions):
            return True
        return bool(self.feedback) and _by_keys(movers, self.in_order(movers, host)) != self.feedback

    def view(self, movers: Sequence[SceneMover[View, Pose]], host: Host[View, Pose]) -> View:
        """Poses of everything in the scene with the movers' newest poses; movers that were not ticked yet are
        left as they are.
        """
        return host.view([(mover, self.of(mover), self.of(mover).pose) for mover in movers])


def _views(
    host: Host[View, Pose],
    placed: Sequence[tuple[SceneMover[View, Pose], Session[View, Pose]]],
    is_cyclic: bool,
) -> tuple[View, View]:
    """Poses of everything in the scene with the movers' poses of the last frame, and the same with their
    desired ones; without a cycle nothing reads these.
    """
    view = host.view([(mover, session, session.pose_before) for mover, session in placed])
    if not is_cyclic:
        return view, view
    return view, host.view([(mover, session, session.desired_before) for mover, session in placed])


def _place_last(
    cycle: Sequence[tuple[SceneMover[View, Pose], Session[View, Pose]]], view: View, desired: View
) -> None:
    """Puts the movers of a cycle into their last poses, also on a body that has moved since, for those that
    are ticked before them.
    """
    for mover, session in cycle:
        mover.place(view, session.pose_before)
        mover.place(desired, session.desired_before)


def _by_keys(movers: Sequence[SceneMover[View, Pose]], order: TickOrder) -> dict[Hashable, Hashable]:
    return {movers[k].key: movers[back].key for k, back in order.feedback.items()}
