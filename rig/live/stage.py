"""A stage of movers in a Blender scene, with dependencies and poses read from what Blender has evaluated.

Live motion, a render and a bake each have a stage of their own. A mover that depends on another one starts
from the new, filtered pose of that mover, since Blender's evaluated pose is one frame old.
"""

from collections.abc import Mapping, Sequence

import bpy

from ...character.behaviour.performer import Performer
from ...character.one_thread import in_one_thread
from ...character.seeing import SeenPersons
from ...character.stage import Stage
from ...solvers.goals import GazeGoal
from ..bones.hanging import HangingBones
from ..bones.joint_bones import Followed
from ..properties.body import UID as BODY
from ..scene.dependencies import Dependencies
from ..scene.placement import Placement
from ..scene.rest_frames import RestFrames
from .mover import Key, Mover, SceneSession
from .movers import mover_of

PERFORMERS = "performers"  # key of the performers in a snapshot


class SceneHost:
    """Implementation of `character.host.Host` for a Blender scene in one frame.

    Args:
        stage: The stage whose movers move.
        depsgraph: The evaluated scene.
    """

    def __init__(self, stage: "SceneStage", depsgraph: bpy.types.Depsgraph) -> None:
        self.stage, self.depsgraph = stage, depsgraph
        self.bodies: dict[int, set[str]] = {}  # object's session_uid -> bones that show bodies of mechanisms
        self._objects = Dependencies()
        self._hanging: dict[int, HangingBones] = {}  # by the armature objects' session_uid

    def needs(self, movers: Sequence[Mover], certain: bool = False) -> list[list[int]]:
        """For each mover the indices of the movers on which it depends; `certain`: whether only certain
        dependencies count.
        """
        sessions = [self.stage.of(mover) for mover in movers]
        if len(movers) == 1 and movers[0].looks_forward:
            return [[]]
        moved = [mover.moved(session) for mover, session in zip(movers, sessions, strict=True)]
        objects = Dependencies(surely=True) if certain else self._objects
        return [
            mover.needs(session, moved, k, objects)
            for k, (mover, session) in enumerate(zip(movers, sessions, strict=True))
        ]

    def view(self, poses: Sequence[tuple[Mover, SceneSession, Mapping]]) -> Placement:
        """Predicted transforms with these poses; movers without a pose are taken as authored."""
        persons = self.stage.persons.get(self.depsgraph.scene.session_uid)
        seen = persons.positions if persons is not None else {}
        placement = Placement(self.depsgraph, {}, self.stage.rests, seen, self._objects)
        for mover, session, pose in poses:
            for uid, bones in mover.bodies(session).items():
                self.bodies.setdefault(uid, set()).update(bones)
            mover.place(placement, dict.fromkeys(mover.bones(session)))
            mover.place(placement, pose)
        return placement

    def followed(self, rig: bpy.types.Object) -> Mapping[str, Followed]:
        """Solved channels of bones that a retarget moves, which chains on that armature use instead of the
        authored ones.
        """
        session = self.stage.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def performer(self, chain: Mover) -> Performer | None:
        """The performer of the behaviour that directs a chain; None if there is none, as for chains that are
        not live.
        """
        return self.stage.performers.get(self.depsgraph.scene.session_uid) if chain.is_live else None

    def hanging(self, rig: bpy.types.Object) -> HangingBones:
        """Record of which bones of an armature object are carried by which other bones."""
        return self._hanging.setdefault(rig.session_uid, HangingBones(rig))

    def solver(self, chain: Mover) -> str:
        """Name of a chain's solver."""
        return self.stage.solvers.get(chain.key, chain.settings.solver)

    @property
    def dirty(self) -> set[str]:
        """Names of armatures whose bones may have changed since the last tick."""
        return self.stage.dirty

    def is_dirty(self, body: Mover) -> bool:
        """Whether bones of a body or of its source may have changed since the last tick."""
        source = body.settings.source
        return body.owner.data.name in self.dirty or (source is not None and source.data.name in self.dirty)


class SceneStage(Stage):
    """Sessions of the movers of a file; see `character.stage.Stage`.

    Args:
        solvers: Solvers to use instead of the chains' own, by the movers' keys.
    """

    def __init__(self, solvers: dict[Key, str] | None = None) -> None:
        super().__init__()
        self.solvers = solvers or {}
        self.dirty: set[str] = set()
        self.performers: dict[int, Performer] = {}  # performers of behaviours, by their scenes' session_uid
        self.persons: dict[int, SeenPersons] = {}  # persons whom trackers see, by scene's session_uid
        self.rests = RestFrames()

    def empty(self) -> "SceneStage":
        other = SceneStage(self.solvers)
        other.dirty = set(self.dirty)
        other.persons = self.persons  # shared, since trackers report only to the live stage
        other.performers = {scene: performer.copy() for scene, performer in list(self.performers.items())}
        return other

    def snapshot(self) -> dict:
        performers = {scene: performer.copy() for scene, performer in list(self.performers.items())}
        return {**super().snapshot(), PERFORMERS: performers}

    def copy(self, snapshot: Mapping | None = None) -> "SceneStage":
        other = super().copy(snapshot)
        if snapshot is not None:
            other.performers = {scene: before.copy() for scene, before in snapshot[PERFORMERS].items()}
        return other

    def restart(self) -> None:
        super().restart()
        self.settle()

    def settle(self, scene: int | None = None) -> None:
        """Completes transitions of the behaviours' states at once; `scene`: session_uid of a scene, for that
        scene only.
        """
        for uid, performer in self.performers.items():
            if scene in (None, uid):
                performer.settle()

    def session(self, owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> SceneSession:
        """Session of a mover, by its owner object and its settings."""
        known_session = self.sessions.get((owner.session_uid, settings.uid))
        return known_session if known_session is not None else self.of(mover_of(owner, settings))

    def mark_postures_dirty(self) -> None:
        """Makes the next tick read stored postures again, since one may have changed."""
        for session in self.sessions.values():
            session.mark_postures_dirty()

    def mark_dirty(self, armature_name: str) -> None:
        """Makes the next tick read an armature's bones again, since they may have changed."""
        self.dirty.add(armature_name)
        self.rests = RestFrames()

    @in_one_thread
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
        self.tick(in_one_order(movers), SceneHost(self, depsgraph), dt, ahead or {})
        self.dirty.clear()

    def has_changed(self, movers: Sequence[tuple], depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether inputs of a mover have changed since the last tick, or have become valid or invalid, or an
        undo has interrupted a motion.
        """
        return super().has_changed(in_one_order(movers), SceneHost(self, depsgraph))

    def is_at_rest(self, movers: Sequence[tuple]) -> bool:
        return super().is_at_rest([as_mover(mover) for mover in movers])

    def placement(self, movers: Sequence[tuple], depsgraph: bpy.types.Depsgraph) -> Placement:
        """Predicted transforms of the scene with the movers' newest poses."""
        return self.view(in_one_order(movers), SceneHost(self, depsgraph))


def as_mover(mover: tuple) -> Mover:
    """The Mover for a mover or an (owner, settings) pair."""
    return mover if isinstance(mover, Mover) else mover_of(*mover)


def in_one_order(movers: Sequence[tuple]) -> list[Mover]:
    """Movers sorted in a fixed order that does not depend on the order of the argument."""
    return sorted(
        map(as_mover, movers), key=lambda mover: (mover.rank, mover.owner.name_full, mover.settings.name)
    )
