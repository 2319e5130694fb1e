"""All chains and mechanisms that move together: read from the evaluated scene, solved as they hang on one another.

Whoever wants motion has a stage of its own: live, rendering, a bake. What hangs on another starts from that one's new, filtered pose: what
Blender has evaluated of it is one frame old.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..motion import MotionError
from ..solvers.goals import GazeError, GazeGoal
from ..solvers.skeleton import SkeletonError
from ..solvers.table import UnavailableSolverError, unavailable
from . import alive, base_posture, build, gaze
from . import goal as goals
from .attention import Attention, partial
from .character_properties import character
from .errors import RigError
from .hanging import Order, in_order, joint_bones
from .joint_tree import joint_tree
from .keyed import keyed
from .mechanism import ready
from .mechanism.owners import is_mechanism
from .mechanism.session import MechanismSession, through
from .moving import Moving
from .one_thread import in_one_thread
from .paths import end_bones
from .placement import Placement
from .retarget.properties import UID as BODY
from .retarget.session import BodySession
from .skeleton import SCALED, BonePose, ChainReader, Followed
from .tick import Model, Outputs, State, make_model, tick

SETUP_ERRORS = (RigError, GazeError, SkeletonError, MotionError)


@dataclass
class Session(Moving):
    """What is known of one chain from tick to tick; nothing of it is saved."""

    reader: ChainReader | None = None
    reader_key: tuple = ()
    model: Model | None = None
    model_key: tuple = ()
    can_answer: tuple = ()  # the model and the kinds of goals for which the solver is known to be fit
    goal: GazeGoal | None = None
    goal_key: tuple = ()
    poses: tuple[BonePose, ...] = ()  # authored, of the bones on the path
    held: tuple = ()  # what of them no joint turns, as it is
    fixed: tuple = ()  # the same, as the model has it
    stored: dict[int, np.ndarray] = field(default_factory=dict)  # postures (n,) [rad, slides m] by their actions' session_uid
    influence: float = 1.0  # of the gaze, 0 to 1
    life: np.ndarray | None = None  # (n,) [rad] on top of the posture; None: there is none
    attention: Attention | None = None  # of the tick to come: its state has that of the last; None where the target is followed as it is
    posture_of: tuple = ()  # the reader that has read them; empty: read them again
    state: State | None = None
    outputs: Outputs | None = None
    problem: str = ""  # why the chain does not follow its target, as a sentence with its remedy
    is_broken: bool = False  # the set-up could not be read


def is_body(chain) -> bool:
    """Whether this is no chain but an armature's retarget."""
    return chain.uid == BODY


def is_chain(mover) -> bool:
    """Whether this is neither an armature's retarget nor a mechanism."""
    return not is_body(mover) and not is_mechanism(mover)


def _has_body(pair: tuple) -> bool:
    return is_body(pair[1])


def _refuse_bodies(rig, chain, bodies: Container[str]) -> None:
    body = next((joint.bone for joint in chain.joints if joint.bone in bodies), None)
    if body is not None:
        raise RigError(
            f"Bone '{body}' of chain '{chain.name}' is a body of mechanism '{rig.name}', which is live and moves it: end the one Live or"
            " the other"
        )


class Stage:
    """The sessions of many chains and mechanisms, by their object and identity.

    Args:
        solvers: Those to use instead of the chains' own, by the same keys as the sessions.
    """

    def __init__(self, solvers: dict[tuple[int, str], str] | None = None) -> None:
        self._solvers = solvers or {}
        self.sessions: dict[tuple[int, str], Session] = {}
        self._doubted: set[str] = set()  # names of armatures whose bones may have changed
        self._circle: frozenset[int] = frozenset()  # places, in their order, of chains that move each other's targets

    def session(self, rig, mover) -> Session:
        """What is known of a chain; or of a rig's retarget (a `BodySession`) or a mechanism, which are among the chains wherever these
        move together."""
        key = (rig.session_uid, mover.uid)
        if key not in self.sessions:
            made = BodySession if is_body(mover) else MechanismSession if is_mechanism(mover) else Session
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
            self._solve(rig, mover, shown, going if is_circular else shown, session, dt, ahead.get((rig.session_uid, mover.uid), ()))
            if session.outputs is not None and session.poses:
                session.channels = session.going = session.reader.channels(session.poses, session.outputs.angles.tolist())
                if is_circular:
                    session.going = session.reader.channels(session.poses, session.outputs.wanted.tolist())
                move(rig, session.channels, session.going)
        self._doubted.clear()

    def _solve(self, rig, chain, placement: Placement, seen: Placement, session: Session, dt: float, coming: Sequence[GazeGoal]) -> None:
        """One tick of a chain, which stands in `placement` and sees its targets where `seen` has them; `coming`: the next frames' goals."""
        session.problem, session.is_broken = "", False
        try:
            self._read(rig, chain, placement, seen, session, dt)
            session.outputs, session.state = tick(
                session.model,
                session.goal,
                session.state,
                dt,
                ahead=coming,
                influence=session.influence,
                life=session.life,
                attention=session.attention,
                mutual=seen is not placement,
            )
            session.problem = session.outputs.problem
        except SETUP_ERRORS as error:
            session.problem, session.is_broken = str(error), not isinstance(error, GazeError)
            if (state := session.state) is not None:  # it comes to rest where it was going
                session.outputs, session.state = tick(
                    state.model, state.goal, state, dt, influence=session.influence, life=state.life, attention=state.attention
                )

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
            if is_chain(mover) and session.state is not None and session.state.attention and not session.state.attention.is_settled:
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
        before, influence = (session.model, session.goal, session.poses), session.influence
        try:
            self._read(rig, chain, placement, placement, session, 0.0)
        except SETUP_ERRORS as error:
            return str(error) != session.problem
        return (
            session.is_broken
            or session.influence != influence
            or (session.state is not None and session.attention is not session.state.attention)
            or (session.state is not None and session.life is not session.state.life)
            or any(now is not was for now, was in zip((session.model, session.goal, session.poses), before, strict=True))
        )

    def _placement(self, pairs: list[tuple], depsgraph, known: Callable[[Session], dict]) -> Placement:
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

    def _read(self, rig, chain, placement: Placement, seen: Placement, session: Session, dt: float) -> None:
        """Brings the session's model, goal and authored poses up to date; its targets are where `seen` has them.

        Raises:
            RigError, SkeletonError, GazeError, MotionError: the set-up cannot be used.
        """
        depsgraph = placement.depsgraph
        evaluated = rig.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise RigError(f"Armature '{rig.name}' is hidden or in no visible collection: show it, Blender does not evaluate it otherwise")
        now = keyed(rig, chain, depsgraph)
        session.influence = now.influence
        if bodies := ready.bones(rig):
            _refuse_bodies(rig, chain, bodies)
        self._update_reader(rig, chain, session)
        if session.reader.modes_changed(evaluated.pose.bones):
            self._doubted.add(rig.data.name)
            self._update_reader(rig, chain, session)
        reader = session.reader
        poses = reader.read(evaluated.pose.bones, placement.moved.get(rig.session_uid, {}), self._followed(rig))
        if poses != session.poses:
            session.poses = poses
        solver = self._solvers.get((rig.session_uid, chain.uid), chain.solver)
        self._update_model(chain, solver, session)
        ends = goals.asked(chain, now.watch)
        for end in ends:
            goals.check_target(end, chain, rig, depsgraph)
        base = placement.root(rig, reader.names[0], reader.base_location(poses))
        if not reader.inherits_scale and max(abs(size - 1.0) for size in base.to_scale()) > SCALED:
            raise RigError(
                f"A parent of bone '{reader.names[0]}' is scaled, and not all bones of chain '{chain.name}' inherit it: clear it"
            )
        base_in_world = placement.object(rig) @ base
        world_in_base = goals.base_inverse(chain, base_in_world)
        places = [seen.object(end.target) for end in ends]
        session.attention = gaze.attention(now, ends[0], places[0], base_in_world, session.state and session.state.attention, dt)
        if session.attention is not None:
            places[0] = gaze.seen(session.attention, base_in_world)
        wanted, *others = [goals.end_goal(end, target, world_in_base) for end, target in zip(ends, places, strict=True)]
        posture = reader.angles(poses)
        posture = base_posture.kept(chain, now, session, posture)
        session.life = alive.life(now.life, session, posture, world_in_base, depsgraph.scene)
        if now.share < 1.0:
            wanted = replace(wanted, aim=partial(session.model.skeleton, posture, wanted.aim, now.share))
        key = (wanted, *others, now.keep, *posture.tolist())
        if session.goal is None or session.goal_key != key:
            session.goal = GazeGoal(wanted.aim, posture, wanted.symmetric, wanted.weight, now.keep, tuple(others))
            session.goal_key = key
        asked = (session.model_key, {end.kind for end in ends})
        if session.can_answer != asked:
            trouble = unavailable(solver, session.model.skeleton, asked[1])
            if trouble:
                raise UnavailableSolverError(trouble)
            session.can_answer = asked

    def _followed(self, rig) -> Mapping[str, Followed]:
        """What the rig's bones do that follow another armature: chains take it for what is authored."""
        if not rig.limber.retarget.live:
            return {}
        session = self.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def _is_doubted(self, rig, retarget) -> bool:
        """Whether bones of a body or of its source may have changed."""
        return rig.data.name in self._doubted or (retarget.source is not None and retarget.source.data.name in self._doubted)

    def _update_reader(self, rig, chain, session: Session) -> None:
        key = (rig.data.name, chain.root, end_bones(chain), [(joint.bone, joint.axis) for joint in chain.joints])
        if session.reader is not None and session.reader_key == key and rig.data.name not in self._doubted:
            return
        reader, before = ChainReader(rig, chain), session.reader
        session.reader_key = key
        if reader == before:
            return
        session.reader, session.model_key, session.poses, session.held = reader, (), (), ()
        if before is None or before.places != reader.places:  # angles of other joints mean nothing here
            session.model = session.goal = session.outputs = None
            session.channels = session.going = {}
            session.restart()

    def _update_model(self, chain, solver: str, session: Session) -> None:
        reader = session.reader
        held = reader.held(session.poses)
        if held != session.held:
            session.fixed = reader.fixed(session.poses)
            session.held = held
        limits = build.stored_motions(chain)
        tools = [(end.settings.look, end.settings.up, end.settings.eye) for end in goals.ends_of(chain)]
        options = build.solver_settings(chain, solver)
        moves = character(chain)
        key = (session.fixed, limits, tools, solver, options, chain.filter, moves, chain.base, chain.transition)
        if session.model is None or session.model_key != key:
            session.model = make_model(
                joint_tree(reader, session.fixed, build.motions(chain), build.tools(chain, reader)),
                solver,
                chain.filter,
                moves,
                posture_jumps=chain.base == "POSTURE",
                transition=chain.transition,
                options=build.solver_options(chain, solver, reader),
            )
            session.model_key = key
