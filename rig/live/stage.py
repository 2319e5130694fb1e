"""All movers that move together: read from the evaluated scene, ticked in the order of their dependencies.

Each use of motion has a stage of its own: live, rendering, a bake. What depends on another starts from that one's new, filtered pose: what
Blender has evaluated of it is one frame old.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...solvers.goals import GazeGoal
from ..blender.one_thread import in_one_thread
from ..properties.body import UID as BODY
from ..reading.dependencies import Order, in_order, joint_bones
from ..reading.moving import Moving
from ..reading.placement import Placement
from ..reading.skeleton import Followed
from .chain_session import Around
from .mechanism_session import through
from .movers import BodyMover, ChainMover, Key, MechanismMover, Mover, mover_of


class Stage:
    """The sessions of many movers, by their keys.

    Args:
        solvers: Those to use instead of the chains' own, by the same keys.
    """

    def __init__(self, solvers: dict[Key, str] | None = None) -> None:
        self._solvers = solvers or {}
        self.sessions: dict[Key, Moving] = {}
        self._dirty: set[str] = set()  # names of armatures whose bones may have changed
        self._cycle: frozenset[int] = frozenset()  # indices, in their order, of chains that move each other's targets

    def session(self, owner, settings) -> Moving:
        """What is known of a mover, by its owner object and its settings."""
        key = owner.session_uid, settings.uid
        if key not in self.sessions:
            self.sessions[key] = mover_of(owner, settings).session_type()
        return self.sessions[key]

    def snapshot(self) -> dict:
        """What `copy` needs to go on from here, at a later time."""
        return {key: session.snapshot() for key, session in list(self.sessions.items())}

    def copy(self, snapshot: dict | None = None) -> "Stage":
        """Another stage that goes on by itself, from here or from an earlier snapshot of this one."""
        other = Stage(self._solvers)
        for key, session in list(self.sessions.items()):  # a render copies off the main thread
            other.sessions[key] = copied = replace(session)
            if snapshot is not None:
                copied.restore(snapshot.get(key))
        other._dirty = set(self._dirty)
        return other

    def restart(self) -> None:
        for session in self.sessions.values():
            session.restart()

    def mark_postures_dirty(self) -> None:
        """A stored posture may have changed: read it again at the next tick."""
        for session in self.sessions.values():
            session.posture_of = ()

    def mark_dirty(self, armature_name: str) -> None:
        """Bones of an armature may have changed: read them again at the next tick."""
        self._dirty.add(armature_name)

    @in_one_thread
    def advance(self, movers: Sequence[Mover], depsgraph, dt: float, ahead: Mapping[Key, Sequence[GazeGoal]] | None = None) -> None:
        """One tick of movers. The outcome is in their sessions. Reads only what the depsgraph has evaluated.

        Bodies that follow another armature come first: what they do is the pose that chains on them warp.

        `ahead` has the goals of the next frames of chains for which they are known.
        """
        ahead = ahead or {}
        movers = [mover_of(*mover) for mover in movers]
        if dt > 0.0:
            for mover in movers:
                self.session(*mover).commit()
        ordered, self._cycle, through_others = self._in_order(movers)
        shown = self._placement(movers, depsgraph, lambda session: session.channels_before)
        # Chains that move each other's targets depend on one another in a cycle: the first of them sees the others as they were a frame
        # ago, and all see where the others are going. Else each would run after the other's motors, and swing for ever.
        going = self._placement(movers, depsgraph, lambda session: session.going_before) if self._cycle else shown

        def move(rig, channels: dict, where_to: dict) -> None:
            shown.moved[rig.session_uid].update(channels)
            if going is not shown:
                going.moved[rig.session_uid].update(where_to)

        for mover in movers:
            if isinstance(mover, BodyMover):
                session = self.session(*mover)
                session.advance(*mover, shown, dt, self._is_dirty(*mover))
                move(mover.owner, session.channels, session.going)
        for mover in (ordered[index] for index in self._cycle):
            session = self.session(*mover)
            move(
                mover.owner, session.channels_before, session.going_before
            )  # on a body, too, a chain that is not solved yet is where it was
        for index, mover in enumerate(ordered):
            session, is_cyclic = self.session(*mover), index in self._cycle
            if isinstance(mover, MechanismMover):
                session.advance(*mover, shown, dt, through_others.get(index))
                for placement in (shown, going):
                    placement.carry(session.channels)
                continue
            around = self._around(*mover, shown, going if is_cyclic else shown)
            session.advance(*mover, around, dt, ahead.get(mover.key, ()))
            move(mover.owner, session.channels, session.going)
        self._dirty.clear()

    def _in_order(self, movers: Sequence[Mover]) -> Order:
        linkages = [self.session(*mover).linkage(mover) for mover in movers if isinstance(mover, MechanismMover)]
        return in_order([mover for mover in movers if isinstance(mover, ChainMover)], linkages)

    def _has_other_cycles(self, movers: Sequence[Mover]) -> bool:
        """Whether mechanisms follow themselves through others than is said of them."""
        ordered, _, others = self._in_order(movers)
        now = [(mover, through(mover.owner, others.get(index))) for index, mover in enumerate(ordered) if isinstance(mover, MechanismMover)]
        return any(self.session(*mover).cycle != said for mover, said in now)

    def is_at_rest(self, movers: Sequence[Mover]) -> bool:
        """Whether all would stay as it is while nothing else moves."""
        for mover in [mover_of(*mover) for mover in movers]:
            session = self.session(*mover)
            if session.outputs is not None and session.state is not None and not session.outputs.at_rest:
                return False
            if isinstance(mover, MechanismMover):
                continue
            if not session.is_settled():
                return False
            if self._cycle and (session.channels, session.going) != (session.channels_before, session.going_before):
                return False
        return True

    def has_changed(self, movers: Sequence[Mover], depsgraph) -> bool:
        """Whether there is something new to solve, or a set-up became right or wrong, since the last tick; or something was left on its
        way, as live is that is undone and redone."""
        placement = self._placement(movers, depsgraph, lambda session: session.channels if session.state is not None else {})
        if not self.is_at_rest(movers) or any(self._differs(mover, placement) for mover in movers):
            return True
        return any(getattr(self.session(*mover), "cycle", "") for mover in movers) and self._has_other_cycles(movers)

    def placement(self, movers: Sequence[Mover], depsgraph) -> Placement:
        """Where things are with the newest poses, as far as they were solved."""
        return self._placement([mover_of(*mover) for mover in movers], depsgraph, lambda session: session.channels)

    def _differs(self, mover: Mover, placement: Placement) -> bool:
        session = self.session(*mover)
        if isinstance(mover, MechanismMover):
            return session.differs(*mover, placement)
        if isinstance(mover, BodyMover):
            return session.differs(*mover, placement, self._is_dirty(*mover))
        return session.differs(*mover, self._around(*mover, placement, placement))

    def _placement(self, movers: Sequence[Mover], depsgraph, known: Callable[[Moving], dict]) -> Placement:
        """Where things are with the channels of all that moves, as far as they are known."""
        bones: dict[int, dict[str, tuple | None]] = {}
        placement = Placement(depsgraph, bones)
        for mover in sorted(movers, key=lambda mover: not isinstance(mover, BodyMover)):
            session = self.session(*mover)
            channels = known(session)
            if isinstance(mover, MechanismMover):
                placement.carry(channels)
                continue
            names = session.reader.moved if session.reader else () if isinstance(mover, BodyMover) else joint_bones(mover.settings)
            bones.setdefault(mover.owner.session_uid, {}).update({bone: channels.get(bone) for bone in names})
        return placement

    def _around(self, rig, chain, placement: Placement, seen: Placement) -> Around:
        solver = self._solvers.get((rig.session_uid, chain.uid), chain.solver)
        return Around(placement, seen, self._followed(rig), solver, self._dirty)

    def _followed(self, rig) -> Mapping[str, Followed]:
        """What the rig's bones do that follow another armature: chains take it for what is authored."""
        if not rig.limber.retarget.live:
            return {}
        session = self.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def _is_dirty(self, rig, retarget) -> bool:
        """Whether bones of a body or of its source may have changed."""
        return rig.data.name in self._dirty or (retarget.source is not None and retarget.source.data.name in self._dirty)
