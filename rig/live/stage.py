"""A stage of movers in a Blender scene, with dependencies and poses read from what Blender has evaluated.

Live motion, a render and a bake each have a stage of their own. A mover that depends on another one starts
from the new, filtered pose of that mover, since Blender's evaluated pose is one frame old.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

import bpy

from ...character.behaviour.performer import Performer
from ...character.mover import MoverState
from ...character.one_thread import in_one_thread
from ...character.playback import Playback
from ...character.record import MoverRecord, RecordSnapshot
from ...character.seeing import SeenPersons
from ...character.stage import TickOrder, commit, feedback, in_order, is_at_rest, turns
from ...solvers.goals import GazeGoal
from ..blender import defects
from ..scene.dependencies import Dependencies, MovedParts
from ..scene.placement import Placement
from ..scene.rest_frames import RestFrames
from .mover import Key, Mover
from .movers import mover_of
from .session import SceneRead, SceneSession, SessionInputs

Result = TypeVar("Result")


class StageSnapshot(NamedTuple):
    """State of a stage as a value: snapshots of its records by the movers' keys, and copies of its performers
    by their scenes' session_uid.
    """

    records: Mapping[Key, RecordSnapshot]
    performers: Mapping[int, Performer]


class SceneFrame:
    """A Blender scene in one frame: its movers, their dependencies, and predicted transforms.

    Args:
        stage: The stage whose movers move.
        movers: The movers that are ticked, as Movers or (owner, settings) pairs.
        depsgraph: The evaluated scene.
    """

    def __init__(self, stage: "SceneStage", movers: Sequence[tuple], depsgraph: bpy.types.Depsgraph) -> None:
        self.stage = stage
        self.movers = in_one_order(movers)
        self.sessions = [stage.of(mover) for mover in self.movers]
        behaviour = stage.performers.get(depsgraph.scene.session_uid)
        self.scene_read = SceneRead(depsgraph, stage.sessions, stage.solvers, behaviour, stage.dirty)
        self._objects = Dependencies()

    @property
    def records(self) -> list[MoverRecord]:
        """Records of the movers."""
        return [session.record for session in self.sessions]

    def order(self) -> TickOrder:
        """Order in which the movers are ticked."""
        if len(self.movers) == 1 and self.movers[0].looks_forward:
            return TickOrder([0])
        return in_order(self._needs(self._objects), self._look_forward)

    def feedback(self, order: TickOrder) -> dict[Key, Mover]:
        """For each mover that depends on itself, but does not look forward: its key -> the mover through
        which it does. Such a mover starts from poses of the last frame.
        """
        if not order.has_cycle or all(self._look_forward):
            return {}
        through = feedback(self._needs(Dependencies(surely=True)), self._look_forward)
        return {self.movers[k].key: self.movers[back] for k, back in through.items()}

    @property
    def _look_forward(self) -> list[bool]:
        return [mover.looks_forward for mover in self.movers]

    def _needs(self, objects: Dependencies) -> list[list[int]]:
        """For each mover the indices of the movers on which it depends."""
        pairs, attempt = list(zip(self.movers, self.sessions, strict=True)), self.stage.attempt
        moved = [attempt(mover, partial(mover.moved, session), MovedParts) for mover, session in pairs]
        return [
            attempt(mover, partial(mover.needs, session, moved, k, objects), list)
            for k, (mover, session) in enumerate(pairs)
        ]

    def view(self, poses: Sequence[Mapping]) -> Placement:
        """Predicted transforms for these poses of the movers, in the order of `movers`; a mover with an empty
        pose is taken as authored.
        """
        persons = self.stage.persons.get(self.scene_read.depsgraph.scene.session_uid)
        seen = persons.positions if persons is not None else {}
        placement = Placement(self.scene_read.depsgraph, {}, self.stage.rests, seen, self._objects)
        for mover, session, pose in zip(self.movers, self.sessions, poses, strict=True):
            self.stage.attempt(mover, partial(self._place, placement, mover, session, pose), nothing)
        return placement

    def _place(self, placement: Placement, mover: Mover, session: SceneSession, pose: Mapping) -> None:
        """Places what a mover moves in a given pose, and adds its bodies to `scene_read.bodies`."""
        for uid, bones in mover.bodies(session).items():
            self.scene_read.bodies.setdefault(uid, set()).update(bones)
        mover.write_pose(placement, dict.fromkeys(mover.bones(session)))
        mover.write_pose(placement, pose)

    def place_again(self, mover: int, placement: Placement, pose: Mapping) -> None:
        """Places what the mover with this index moves in a new pose."""
        moved = self.movers[mover]
        self.stage.attempt(moved, partial(moved.write_pose, placement, pose), nothing)


class SceneStage:
    """Sessions of the movers of a file. Live motion, a render and a bake each have a stage of their own.

    Args:
        solvers: Solvers to use instead of the chains' own, by the movers' keys.
        isolates_defects: Whether an unexpected exception, which is a defect of Limber, stops only the mover
            in which it occurs, as in live motion. False: it is raised.

    Attributes:
        defects: Key of a mover in which a defect occurred since its last turn -> the mover's problem. At its
            next turn such a mover rests instead of a tick.
    """

    def __init__(self, solvers: dict[Key, str] | None = None, *, isolates_defects: bool = False) -> None:
        self.solvers = solvers or {}
        self.isolates_defects = isolates_defects
        self.sessions: dict[Key, SceneSession] = {}
        self.playback: Playback[StageSnapshot] = Playback()
        # keys of the movers in a cycle that read the others' desired poses at the last tick
        self.cyclic: frozenset[Key] = frozenset()
        # key of a mover that depends on itself -> the mover through which it depends
        self.feedback: dict[Key, Key] = {}
        self.defects: dict[Key, str] = {}
        self.dirty: set[str] = set()
        self.performers: dict[int, Performer] = {}  # performers of behaviours, by their scenes' session_uid
        self.persons: dict[int, SeenPersons] = {}  # persons whom trackers see, by scene's session_uid
        self.rests = RestFrames()

    def of(self, mover: Mover) -> SceneSession:
        """Session of a mover on this stage; made at the first call."""
        key = mover.key
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = mover.new_session()
        return session

    def snapshot(self) -> StageSnapshot:
        """State of the stage, for a later `copy`."""
        # iterates over copies, since a render copies the stage on another thread
        sessions, performers = list(self.sessions.items()), list(self.performers.items())
        return StageSnapshot(
            {key: session.record.snapshot() for key, session in sessions},
            {scene: performer.copy() for scene, performer in performers},
        )

    def copy(self, snapshot: StageSnapshot | None = None) -> "SceneStage":
        """An independent copy of the stage, in its current state or an earlier snapshot; the persons
        whom trackers see are the same in both.
        """
        before = snapshot or self.snapshot()
        other = SceneStage(self.solvers, isolates_defects=self.isolates_defects)
        other.sessions = {
            key: replace(session, record=session.record.restored(before.records.get(key)))
            for key, session in list(self.sessions.items())
        }
        other.playback = self.playback.copy()
        other.dirty = set(self.dirty)
        other.persons = self.persons  # shared, since trackers report to the live stage only
        other.performers = {scene: performer.copy() for scene, performer in before.performers.items()}
        return other

    def restart(self, movers: Sequence[Mover], scene: int) -> None:
        """Restarts the motion of movers, and completes the transition of a scene's behaviour at once;
        `scene`: its session_uid.
        """
        for mover in movers:
            self.of(mover).record.restart()
        if scene in self.performers:
            self.performers[scene].settle()

    def session(self, owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> SceneSession:
        """Session of a mover, by its owner object and its settings."""
        known_session = self.sessions.get((owner.session_uid, settings.uid))
        return known_session if known_session is not None else self.of(mover_of(owner, settings))

    def mark_postures_dirty(self) -> None:
        """Makes the next tick read stored postures again, since one may have changed."""
        for session in self.sessions.values():
            session.mark_postures_dirty()

    def mark_dirty(self, armature_name: str) -> None:
        """Makes the next tick read an armature's bones again, and discards the rest frames of all armatures,
        after a possible change.
        """
        self.dirty.add(armature_name)
        self.rests = RestFrames()

    def drop(self, mover: Mover) -> None:
        """Discards a mover's session, and the record of a defect in it."""
        self.sessions.pop(mover.key, None)
        self.defects.pop(mover.key, None)

    def attempt(self, mover: Mover, call: Callable[[], Result], otherwise: Callable[[], Result]) -> Result:
        """Result of a call that reads, compares, ticks, places or keys a single mover. If the stage isolates
        defects, an unexpected exception is noted in `defects`, and the result is that of `otherwise`. The
        first exception since the mover's last turn is reported; others may follow from it.
        """
        try:
            return call()
        except Exception:
            if not self.isolates_defects:
                raise
            if mover.key not in self.defects:
                self.defects[mover.key] = _reported_defect(mover)
        return otherwise()

    @in_one_thread()
    def advance(
        self,
        movers: Sequence[tuple],
        depsgraph: bpy.types.Depsgraph,
        dt: float,
        ahead: Mapping[Key, Sequence[GazeGoal]] | None = None,
    ) -> None:
        """Ticks movers once, given as Movers or (owner, settings) pairs; the results are in their sessions.
        Reads only the evaluated scene.

        Bodies that follow a motion come first, since chains on them start from their pose.

        Args:
            movers: The movers.
            depsgraph: The evaluated scene.
            dt: Time since the last tick [s]; 0 in the first frame.
            ahead: Goals of the next frames of chains, by the movers' keys, if known.
        """
        scene_frame = SceneFrame(self, movers, depsgraph)
        records, order = scene_frame.records, scene_frame.order()
        through = scene_frame.feedback(order)
        self.cyclic = frozenset(scene_frame.movers[k].key for k in order.cyclic)
        self.feedback = {key: mover.key for key, mover in through.items()}
        commit(records, dt)
        view = targets = scene_frame.view([record.pose_before for record in records])
        if order.cyclic:
            targets = scene_frame.view([record.desired_before for record in records])
        for turn in turns(order, records):
            for index, pose, desired_pose in turn.moved:
                scene_frame.place_again(index, view, pose)
                if order.cyclic:
                    scene_frame.place_again(index, targets, desired_pose)
            mover = scene_frame.movers[turn.mover]
            inputs = SessionInputs(
                scene_frame.scene_read,
                mover,
                view,
                targets if turn.is_mutual else view,
                (ahead or {}).get(mover.key, ()),
                through.get(mover.key),
            )
            self._advance(scene_frame.sessions[turn.mover], inputs, dt)
        self.dirty.clear()

    def _advance(self, session: SceneSession, inputs: SessionInputs, dt: float) -> None:
        """Advances a session by `dt` [s]. After a defect since its last turn, or in this one, its mover comes
        to rest.
        """
        session.has_defect = False
        rest = partial(self._rest, session, inputs, session.record.state, dt)
        if inputs.mover.key in self.defects:
            rest()
        else:
            self.attempt(inputs.mover, partial(session.advance, inputs, dt), rest)

    def _rest(
        self, session: SceneSession, inputs: SessionInputs, before: MoverState | None, dt: float
    ) -> None:
        """Brings a mover with a defect to rest instead of a tick of `dt` [s] from the state `before`. If it
        cannot brake either, it stays where it is.
        """
        mover, record = inputs.mover, session.record
        session.has_defect = True
        record.state = before  # the tick may have been completed
        self.attempt(mover, partial(record.rest, self.defects[mover.key], dt), record.restart)
        self.attempt(mover, partial(session.show_outputs, inputs), nothing)
        del self.defects[mover.key]

    def _differs(self, session: SceneSession, inputs: SessionInputs) -> bool:
        """Whether inputs of a session have changed since the last tick; after a defect in its mover, whether
        it is another one.
        """
        differs = self.attempt(inputs.mover, partial(session.differs, inputs), lambda: True)
        problem = self.defects.get(inputs.mover.key)
        return differs if problem is None else problem != session.problem

    def has_changed(self, movers: Sequence[tuple], depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether inputs of a mover have changed since the last tick, or have become valid or invalid, or a
        mover is not at rest, as after an undo that has interrupted a motion.
        """
        if not self.is_at_rest(movers):
            return True
        scene_frame = SceneFrame(self, movers, depsgraph)
        view = scene_frame.view(
            [record.pose if record.state is not None else {} for record in scene_frame.records]
        )
        if any(
            self._differs(session, SessionInputs(scene_frame.scene_read, mover, view, view))
            for mover, session in zip(scene_frame.movers, scene_frame.sessions, strict=True)
        ):
            return True
        if not self.feedback:
            return False
        through = scene_frame.feedback(scene_frame.order())
        return {key: mover.key for key, mover in through.items()} != self.feedback

    def is_at_rest(self, movers: Sequence[tuple]) -> bool:
        """Whether none of these movers will move while everything else stays constant."""
        movers = list(map(as_mover, movers))
        records = [self.of(mover).record for mover in movers]
        cyclic = [self.sessions[key].record for key in self.cyclic if key in self.sessions]
        return is_at_rest(records, cyclic) and all(map(self._is_settled, movers))

    def _is_settled(self, mover: Mover) -> bool:
        """Whether a mover's session is settled; True also if a defect makes that unknown."""
        session = self.of(mover)
        return self.attempt(mover, lambda: session.is_settled, lambda: True)

    def placement(self, movers: Sequence[tuple], depsgraph: bpy.types.Depsgraph) -> Placement:
        """Predicted transforms of the scene with the movers' newest poses; movers without a tick are taken as
        authored.
        """
        scene_frame = SceneFrame(self, movers, depsgraph)
        return scene_frame.view([record.pose for record in scene_frame.records])


def nothing() -> None:
    """Returns None, instead of the result of a call that has failed."""


def _reported_defect(mover: Mover) -> str:
    """Prints the unexpected exception that is being handled; returns the mover's problem as a sentence."""
    defects.print_once()
    return f"{mover.label} is stopped by a defect of Limber: please report what the system console shows"


def as_mover(mover: tuple) -> Mover:
    """A Mover as it is; the Mover of an (owner, settings) pair."""
    return mover if isinstance(mover, Mover) else mover_of(*mover)


def in_one_order(movers: Sequence[tuple]) -> list[Mover]:
    """Movers sorted in a fixed order that does not depend on the order of the argument."""
    return sorted(
        map(as_mover, movers), key=lambda mover: (mover.rank, mover.owner.name_full, mover.settings.name)
    )
