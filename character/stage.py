"""A stage: movers that move together, ticked in the order of their dependencies.

A host has a session for each mover and describes each frame (`host`). The stage orders the movers, gets each
session's inputs given the new poses of earlier movers, ticks it, and stores its state. States are values, so
undo, sub-frames, renders and bakes copy them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Generic, NamedTuple, Self

from ..solvers.goals import GazeGoal
from .host import Frame, Host, Pose, SceneMover, Session, Snapshot, View

Needs = Sequence[
    Sequence[int]
]  # for each mover the indices of the movers on which it depends; includes its own if it depends on itself


class TickOrder(NamedTuple):
    """Order of ticking, as indices of movers, and the cycles among them."""

    indices: Sequence[int]
    cyclic: frozenset[int] = frozenset()  # movers in a cycle that read the others' desired poses
    feedback: Mapping[int, int] = MappingProxyType(
        {}
    )  # other movers that depend on themselves -> the mover through which they depend on themselves


class Stage(Generic[View, Pose]):
    """Sessions of movers by their keys. Live motion, a render and a bake each have a stage of their own."""

    def __init__(self) -> None:
        self.sessions: dict[Hashable, Session[View, Pose]] = {}
        # keys of the movers that were in a cycle at the last tick
        self.cyclic: frozenset[Hashable] = frozenset()
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
            dt: Time since the last tick [s]; 0 for the same frame again.
            ahead: Goals of the next frames, if known, by the movers' keys.
        """
        sessions = [self.of(mover) for mover in movers]
        # another tick of the same frame starts from the same last state, so that its result is the same
        if dt > 0.0:
            for session in sessions:
                session.commit()
        order = self.in_order(movers, host)
        self.cyclic, self.feedback = frozenset(movers[k].key for k in order.cyclic), _by_keys(movers, order)
        movers_and_sessions = list(zip(movers, sessions, strict=True))
        view, desired = _views(host, movers_and_sessions, bool(order.cyclic))
        first_cyclic = next((k for k in order.indices if k in order.cyclic), None)
        for index in order.indices:
            mover, session, is_cyclic = movers[index], sessions[index], index in order.cyclic
            # movers that carry those of the cycle may have moved since the views were made
            if index == first_cyclic:
                _place_last([movers_and_sessions[k] for k in order.cyclic], view, desired)
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
        """Whether inputs of a mover have changed since the last tick, or have become valid or invalid."""
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
        """Poses of everything in the scene with the movers' newest poses; movers without a tick keep the
        host's poses.
        """
        return host.view([(mover, self.of(mover), self.of(mover).pose) for mover in movers])


def _views(
    host: Host[View, Pose],
    movers_and_sessions: Sequence[tuple[SceneMover[View, Pose], Session[View, Pose]]],
    is_cyclic: bool,
) -> tuple[View, View]:
    """Poses of everything in the scene with the movers' poses of the last frame, and the same with their
    desired ones; without a cycle the latter are not used.
    """
    view = host.view([(mover, session, session.pose_before) for mover, session in movers_and_sessions])
    if not is_cyclic:
        return view, view
    return view, host.view(
        [(mover, session, session.desired_before) for mover, session in movers_and_sessions]
    )


def _place_last(
    cycle: Sequence[tuple[SceneMover[View, Pose], Session[View, Pose]]], view: View, desired: View
) -> None:
    """Sets the movers of a cycle to their last poses, relative to a body that may have moved since, for the
    movers that are ticked before them.
    """
    for mover, session in cycle:
        mover.place(view, session.pose_before)
        mover.place(desired, session.desired_before)


def _by_keys(movers: Sequence[SceneMover[View, Pose]], order: TickOrder) -> dict[Hashable, Hashable]:
    return {movers[k].key: movers[back].key for k, back in order.feedback.items()}


def in_order(needs: Needs, looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> TickOrder:
    """Order of ticking, and the cycles.

    Args:
        needs: For each mover the indices of those on which it depends. Independent movers keep their order.
        looks_forward: For each mover whether, in a cycle, it reads the desired poses of the others instead of
            their last poses.
        certain: Returns `needs` with certain dependencies only; called only if there is a cycle.
    """
    ordered, is_cyclic = _by_depth(needs)
    if not is_cyclic:
        return TickOrder(ordered)
    # a cycle of movers that look at each other is broken by desired poses
    forward = [
        [j for j in above if looks_forward[j]] if looks_forward[k] else [] for k, above in enumerate(needs)
    ]
    cyclic = frozenset(k for k, does in enumerate(looks_forward) if does and _leads_to(forward, k, k))
    return TickOrder(ordered, cyclic, _feedback(looks_forward, certain))


def _by_depth(needs: Needs) -> tuple[list[int], bool]:
    """Indices of the movers, each after those on which it depends, and whether there is a cycle."""
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
    return ordered, is_cyclic


def _feedback(looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> dict[int, int]:
    """For each mover in a cycle that reads last poses: the mover through which it depends on itself."""
    backward = [k for k, does in enumerate(looks_forward) if not does]
    needs = certain() if backward else []
    feedback = {}
    for k in backward:
        back = next((above for above in needs[k] if above == k or _leads_to(needs, above, k)), None)
        if back is not None:
            feedback[k] = back
    return feedback


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
