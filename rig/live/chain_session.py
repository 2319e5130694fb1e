"""What is known of one chain from tick to tick: authored poses and targets are read from the evaluated scene, one tick is made."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from mathutils import Matrix

from ...character.attention import Attention, partial
from ...character.chain.tick import Model, Outputs, State, make_model, tick
from ...motion import MotionError
from ...solvers.goals import GazeError, GazeGoal
from ...solvers.skeleton import SkeletonError
from ...solvers.table import UnavailableSolverError, unavailable
from ..blender.errors import RigError
from ..properties.character import character
from ..reading import alive, base_posture, channels, gaze
from ..reading import chain as build
from ..reading import goal as goals
from ..reading.channels import Channel
from ..reading.joint_tree import joint_tree
from ..reading.keyed import keyed
from ..reading.mechanism import assembled
from ..reading.moving import JointLimits, Moving, Place
from ..reading.paths import end_bones
from ..reading.placement import Placement
from ..reading.skeleton import SCALED, BonePose, ChainReader, Followed

SETUP_ERRORS = (RigError, GazeError, SkeletonError, MotionError)


class Around(NamedTuple):
    """What a chain meets in a moment."""

    placement: Placement  # in which it stands
    seen: Placement  # which has its targets: another where chains move each other's
    followed: Mapping[str, Followed]  # what bones of its armature do that follow another armature: it takes this for what is authored
    solver: str
    dirty: set[str]  # names of armatures whose bones may have changed

    @property
    def is_mutual(self) -> bool:
        """Whether it sees where others are going rather than where they are."""
        return self.seen is not self.placement


@dataclass
class ChainSession(Moving):
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
    is_broken: bool = False  # the set-up could not be read

    def advance(self, rig, chain, around: Around, dt: float, coming: Sequence[GazeGoal] = ()) -> None:
        """One tick. Reads only what the depsgraph has evaluated; the outcome is in the session. `coming`: the next frames' goals."""
        self.problem, self.is_broken = "", False
        try:
            self._read(rig, chain, around, dt)
            self.outputs, self.state = tick(
                self.model,
                self.goal,
                self.state,
                dt,
                ahead=coming,
                influence=self.influence,
                life=self.life,
                attention=self.attention,
                mutual=around.is_mutual,
            )
            self.problem = self.outputs.problem
        except SETUP_ERRORS as error:
            self.problem, self.is_broken = str(error), not isinstance(error, GazeError)
            if (state := self.state) is not None:  # it comes to rest where it was going
                self.outputs, self.state = tick(
                    state.model, state.goal, state, dt, influence=self.influence, life=state.life, attention=state.attention
                )
        if self.outputs is not None and self.poses:
            self.channels = self.going = self.reader.channels(self.poses, self.outputs.angles.tolist())
            if around.is_mutual:
                self.going = self.reader.channels(self.poses, self.outputs.wanted.tolist())

    def differs(self, rig, chain, around: Around) -> bool:
        """Whether there is something new to solve, or the set-up became right or wrong, since its last tick."""
        before, influence = (self.model, self.goal, self.poses), self.influence
        try:
            self._read(rig, chain, around, 0.0)
        except SETUP_ERRORS as error:
            return str(error) != self.problem
        return (
            self.is_broken
            or self.influence != influence
            or (self.state is not None and self.attention is not self.state.attention)
            or (self.state is not None and self.life is not self.state.life)
            or any(now is not was for now, was in zip((self.model, self.goal, self.poses), before, strict=True))
        )

    def values(self) -> dict[Place, float]:
        return self._by_place(self.outputs.angles) if self.outputs is not None else {}

    def desired(self) -> dict[Place, float]:
        return self._by_place(self.outputs.wanted) if self.outputs is not None else {}

    def limits(self) -> dict[Place, JointLimits]:
        if self.model is None or self.reader is None:
            return {}
        joints = self.model.skeleton.joints
        limits = (JointLimits(j.lower, j.upper, j.velocity, j.acceleration, j.jerk) for j in joints)
        return dict(zip(self.reader.places, limits, strict=True))

    @property
    def warning(self) -> str:
        return self.outputs.solution.remark if self.outputs is not None else ""

    def keys(self, mover, placement, before) -> dict[Channel, float]:
        return {channels.of_joint(mover.owner, *place): value for place, value in self.values().items()}

    def _by_place(self, angles: np.ndarray) -> dict[Place, float]:
        return dict(zip(self.reader.places, angles.tolist(), strict=True)) if self.reader is not None else {}

    def is_settled(self) -> bool:
        """Whether it looks where it will go on looking."""
        return self.state is None or not self.state.attention or self.state.attention.is_settled

    def _read(self, rig, chain, around: Around, dt: float) -> None:
        """Brings the model, the goal and the authored poses up to date.

        Raises:
            RigError, SkeletonError, GazeError, MotionError: the set-up cannot be used.
        """
        placement, seen = around.placement, around.seen
        depsgraph = placement.depsgraph
        evaluated = rig.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise RigError(f"Armature '{rig.name}' is hidden or in no visible collection: show it, Blender does not evaluate it otherwise")
        now = keyed(rig, chain, depsgraph)
        self.influence = now.influence
        if bodies := assembled.bones(rig):
            _refuse_bodies(rig, chain, bodies)
        self._update_reader(rig, chain, around.dirty)
        if self.reader.modes_changed(evaluated.pose.bones):
            around.dirty.add(rig.data.name)
            self._update_reader(rig, chain, around.dirty)
        reader = self.reader
        poses = reader.read(evaluated.pose.bones, placement.moved.get(rig.session_uid, {}), around.followed)
        if poses != self.poses:
            self.poses = poses
        self._update_model(chain, around.solver, placement.object(rig))
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
        self.attention = gaze.attention(now, ends[0], places[0], base_in_world, self.state and self.state.attention, dt)
        if self.attention is not None:
            places[0] = gaze.seen(self.attention, base_in_world)
        wanted, *others = [goals.end_goal(end, target, world_in_base) for end, target in zip(ends, places, strict=True)]
        posture = reader.angles(poses)
        posture = base_posture.kept(chain, now, self, posture)
        self.life = alive.life(now.life, self, posture, world_in_base, depsgraph.scene)
        if now.share < 1.0:
            wanted = replace(wanted, aim=partial(self.model.skeleton, posture, wanted.aim, now.share))
        key = (wanted, *others, now.keep, *posture.tolist())
        if self.goal is None or self.goal_key != key:
            self.goal = GazeGoal(wanted.aim, posture, wanted.symmetric, wanted.weight, now.keep, tuple(others))
            self.goal_key = key
        asked = (self.model_key, {end.kind for end in ends})
        if self.can_answer != asked:
            trouble = unavailable(around.solver, self.model.skeleton, asked[1])
            if trouble:
                raise UnavailableSolverError(trouble)
            self.can_answer = asked

    def _update_reader(self, rig, chain, dirty: Container[str]) -> None:
        key = (rig.data.name, chain.root, end_bones(chain), [(joint.bone, joint.axis) for joint in chain.joints])
        if self.reader is not None and self.reader_key == key and rig.data.name not in dirty:
            return
        reader, before = ChainReader(rig, chain), self.reader
        self.reader_key = key
        if reader == before:
            return
        self.reader, self.model_key, self.poses, self.held = reader, (), (), ()
        if before is None or before.places != reader.places:  # angles of other joints mean nothing here
            self.model = self.goal = self.outputs = None
            self.channels = self.going = {}
            self.restart()

    def _update_model(self, chain, solver: str, rig_in_world: Matrix) -> None:
        reader = self.reader
        held = reader.held(self.poses)
        if held != self.held:
            self.fixed = reader.fixed(self.poses)
            self.held = held
        limits = build.stored_motions(chain)
        tools = [(goals.forward_axis(end.settings), end.settings.up, end.settings.eye) for end in goals.ends_of(chain)]
        options = build.solver_settings(chain, solver, reader, rig_in_world)
        moves = character(chain)
        key = (self.fixed, limits, tools, solver, options, chain.filter, moves, chain.base, chain.transition)
        if self.model is None or self.model_key != key:
            self.model = make_model(
                joint_tree(reader, self.fixed, build.motions(chain), build.tools(chain, reader)),
                solver,
                chain.filter,
                moves,
                posture_jumps=chain.base == "POSTURE",
                transition=chain.transition,
                options=build.solver_options(chain, solver, reader, rig_in_world),
            )
            self.model_key = key


def _refuse_bodies(rig, chain, bodies: Container[str]) -> None:
    body = next((joint.bone for joint in chain.joints if joint.bone in bodies), None)
    if body is not None:
        raise RigError(
            f"Bone '{body}' of chain '{chain.name}' is a body of mechanism '{rig.name}', which is live and moves it: end the one Live or"
            " the other"
        )
