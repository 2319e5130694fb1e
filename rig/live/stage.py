"""All chains and mechanisms that move together: read from the evaluated scene, solved as they hang on one another.

Whoever wants motion has a stage of its own: live, rendering, a bake. What hangs on another starts from that one's new, filtered pose: what
Blender has evaluated of it is one frame old.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...solvers.goals import GazeGoal
from ..properties.body import UID as BODY
from ..reading.dependencies import Order, in_order, joint_bones
from ..reading.mechanism.owners import is_mechanism
from ..reading.placement import Placement
from ..reading.skeleton import Followed
from .body_session import BodySession
from .chain_session import Around, ChainSession
from .mechanism_session import MechanismSession, through
from .one_thread import in_one_thread


def is_body(chain) -> bool:
    """Whether this is no chain but an armature's retarget."""
    return chain.uid == BODY


def is_chain(mover) -> bool:
    """Whether this is neither an armature's retarget nor a mechanism."""
    return not is_body(mover) and not is_mechanism(mover)


def _has_body(pair: tuple) -> bool:
    return is_body(pair[1])


class Stage:
    """The sessions of many chains and mechanisms, by their object and identity.

    Args:
        solvers: Those to use instead of the chains' own, by the same keys as the sessions.
    """

    def __init__(self, solvers: dict[tuple[int, str], str] | None = None) -> None:
        self._solvers = solvers or {}
        self.sessions: dict[tuple[int, str], ChainSession] = {}
        self._doubted: set[str] = set()  # names of armatures whose bones may have changed
        self._circle: frozenset[int] = frozenset()  # places, in their order, of chains that move each other's targets

    def session(self, rig, mover) -> ChainSession:
        """What is known of a chain; or of a rig's retarget (a `BodySession`) or a mechanism, which are among the chains wherever these
        move together."""
        key = (rig.session_uid, mover.uid)
        if key not in self.sessions:
            made = BodySession if is_body(mover) else MechanismSession if is_mechanism(mover) else ChainSession
            self.sessions[key] = made()
        return self.sessions[key]

    def moment(self) -> dict:
        """What `copy` needs to go on from here, at a later time."""
        return {key: session.moment() for key, session in list(self.sessions.items())}

    def copy(self, moment: dict | None = None) -> "Stage":
        """Another stage that goes on by itself, from here or from an earlier moment of this one."""
        other = Stage(self._solvers)
        for key, session in list(self.sessions.items()):  # a render copies off the main thread
            other.sessions[key] = copied = replace(session)
            if moment is not None:
                copied.go_back(moment.get(key))
        other._doubted = set(self._doubted)
        return other

    def restart(self) -> None:
        for session in self.sessions.values():
            session.restart()

    def doubt_postures(self) -> None:
        """A stored posture may have changed: read it again at the next tick."""
        for session in self.sessions.values():
            session.posture_of = ()

    def doubt(self, armature_name: str) -> None:
        """Bones of an armature may have changed: look before the next tick."""
        self._doubted.add(armature_name)

    @in_one_thread
    def advance(self, pairs: list[tuple], depsgraph, dt: float, ahead: Mapping[tuple[int, str], Sequence[GazeGoal]] | None = None) -> None:
        """One tick of the pairs of an object and what moves of it: a chain, a retarget, a mechanism. The outcome is in their sessions.
        Reads only what the depsgraph has evaluated.

        Bodies that follow another armature come first: what they do is the pose that chains on them warp.

        `ahead` has the goals of the next frames of chains for which they are known, by the same keys as the sessions.
        """
        ahead = ahead or {}
        if dt > 0.0:
            for rig, mover in pairs:
                self.session(rig, mover).move_on()
        ordered, self._circle, endless = self._in_order(pairs)
        shown = self._placement(pairs, depsgraph, lambda session: session.channels_before)
        # Chains that move each other's targets go round in a circle: the first of them sees the others as they were a moment ago, and all
        # see where the others are going. Looking at where they are, each would run after the other's motors, and swing for ever.
        going = self._placement(pairs, depsgraph, lambda session: session.going_before) if self._circle else shown

        def move(rig, channels: dict, where_to: dict) -> None:
            shown.moved[rig.session_uid].update(channels)
            if going is not shown:
                going.moved[rig.session_uid].update(where_to)

        for rig, retarget in filter(_has_body, pairs):
            session = self.session(rig, retarget)
            session.advance(rig, retarget, shown, dt, self._is_doubted(rig, retarget))
            move(rig, session.channels, session.going)
        for rig, chain in (ordered[place] for place in self._circle):
            session = self.session(rig, chain)
            move(rig, session.channels_before, session.going_before)  # on a body, too, a chain that is not solved yet is where it was
        for place, (rig, mover) in enumerate(ordered):
            session, is_circular = self.session(rig, mover), place in self._circle
            if is_mechanism(mover):
                session.advance(rig, mover, shown, dt, endless.get(place))
                for placement in (shown, going):
                    placement.carry(session.channels)
                continue
            around = self._around(rig, mover, shown, going if is_circular else shown)
            session.advance(rig, mover, around, dt, ahead.get((rig.session_uid, mover.uid), ()))
            move(rig, session.channels, session.going)
        self._doubted.clear()

    def _in_order(self, pairs: list[tuple]) -> Order:
        linkages = [self.session(*pair).linkage(*pair) for pair in pairs if is_mechanism(pair[1])]
        return in_order([pair for pair in pairs if is_chain(pair[1])], linkages)

    def _has_other_circles(self, pairs: list[tuple]) -> bool:
        """Whether mechanisms follow themselves through others than is said of them."""
        ordered, _, endless = self._in_order(pairs)
        now = [(pair, through(pair[0], endless.get(place))) for place, pair in enumerate(ordered) if is_mechanism(pair[1])]
        return any(self.session(*pair).endless != said for pair, said in now)

    def is_at_rest(self, pairs: list[tuple]) -> bool:
        """Whether all would stay as it is while nothing else moves."""
        for rig, mover in pairs:
            session = self.session(rig, mover)
            if session.outputs is not None and session.state is not None and not session.outputs.at_rest:
                return False
            if is_mechanism(mover):
                continue
            if is_chain(mover) and not session.is_settled():
                return False
            if self._circle and (session.channels, session.going) != (session.channels_before, session.going_before):
                return False
        return True

    def has_changed(self, pairs: list[tuple], depsgraph) -> bool:
        """Whether there is something new to solve, or a set-up became right or wrong, since the last tick; or something was left on its
        way, as live is that is undone and redone."""
        placement = self._placement(pairs, depsgraph, lambda session: session.channels if session.state is not None else {})
        if not self.is_at_rest(pairs) or any(self._differs(rig, mover, placement) for rig, mover in pairs):
            return True
        return any(is_mechanism(mover) and self.session(rig, mover).endless for rig, mover in pairs) and self._has_other_circles(pairs)

    def placement(self, pairs: list[tuple], depsgraph) -> Placement:
        """Where things are with the newest poses, as far as they were solved."""
        return self._placement(pairs, depsgraph, lambda session: session.channels)

    def _differs(self, rig, chain, placement: Placement) -> bool:
        session = self.session(rig, chain)
        if is_mechanism(chain):
            return session.differs(rig, chain, placement)
        if is_body(chain):
            return session.differs(rig, chain, placement, self._is_doubted(rig, chain))
        return session.differs(rig, chain, self._around(rig, chain, placement, placement))

    def _placement(self, pairs: list[tuple], depsgraph, known: Callable[[ChainSession], dict]) -> Placement:
        """Where things are with the channels of all that moves, as far as they are known."""
        bones: dict[int, dict[str, tuple | None]] = {}
        placement = Placement(depsgraph, bones)
        for rig, mover in sorted(pairs, key=_has_body, reverse=True):
            session = self.session(rig, mover)
            channels = known(session)
            if is_mechanism(mover):
                placement.carry(channels)
                continue
            names = session.reader.moved if session.reader else () if is_body(mover) else joint_bones(mover)
            bones.setdefault(rig.session_uid, {}).update({bone: channels.get(bone) for bone in names})
        return placement

    def _around(self, rig, chain, placement: Placement, seen: Placement) -> Around:
        solver = self._solvers.get((rig.session_uid, chain.uid), chain.solver)
        return Around(placement, seen, self._followed(rig), solver, self._doubted)

    def _followed(self, rig) -> Mapping[str, Followed]:
        """What the rig's bones do that follow another armature: chains take it for what is authored."""
        if not rig.limber.retarget.live:
            return {}
        session = self.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def _is_doubted(self, rig, retarget) -> bool:
        """Whether bones of a body or of its source may have changed."""
        return rig.data.name in self._doubted or (retarget.source is not None and retarget.source.data.name in self._doubted)
