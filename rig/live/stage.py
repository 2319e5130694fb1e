"""A stage of movers in a Blender scene: what depends on what, and where everything is, are read from what Blender has evaluated.

Each use of motion has a stage of its own: live, rendering, a bake. What depends on another starts from that one's new, filtered pose: what
Blender has evaluated of it is one frame old.
"""

from collections.abc import Mapping, Sequence

from ...character import stage as engine
from ...solvers.goals import GazeGoal
from ..blender.one_thread import in_one_thread
from ..properties.body import UID as BODY
from ..reading.placement import Placement
from ..reading.skeleton import Followed
from .mover import Key, Mover, SceneSession
from .movers import mover_of


class SceneHost:
    """A scene in a frame.

    Args:
        stage: Whose movers move.
        depsgraph: What has been evaluated.
    """

    def __init__(self, stage: "Stage", depsgraph) -> None:
        self.stage, self.depsgraph = stage, depsgraph
        self.bodies: dict[int, set[str]] = {}  # object's session_uid -> bones that show bodies of mechanisms

    def needs(self, movers: Sequence[Mover], certain: bool = False) -> list[list[int]]:
        """On which others each depends, by index."""
        sessions = [self.stage.of(mover) for mover in movers]
        if len(movers) == 1 and movers[0].looks_forward:
            return [[]]
        moved = [mover.moved(session) for mover, session in zip(movers, sessions, strict=True)]
        return [mover.needs(session, moved, k, certain) for k, (mover, session) in enumerate(zip(movers, sessions, strict=True))]

    def view(self, poses) -> Placement:
        """Where everything is with these poses; what has none yet is where it is authored."""
        placement = Placement(self.depsgraph, {})
        for mover, session, pose in poses:
            for uid, bones in mover.bodies(session).items():
                self.bodies.setdefault(uid, set()).update(bones)
            mover.place(placement, dict.fromkeys(mover.bones(session)))
            mover.place(placement, pose)
        return placement

    def followed(self, rig) -> Mapping[str, Followed]:
        """What bones of a rig do that follow another armature: chains take it for what is authored."""
        session = self.stage.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def solver(self, chain: Mover) -> str:
        """Name of a chain's solver."""
        return self.stage.solvers.get(chain.key, chain.settings.solver)

    @property
    def dirty(self) -> set[str]:
        """Names of armatures whose bones may have changed."""
        return self.stage.dirty

    def is_dirty(self, body: Mover) -> bool:
        """Whether bones of a body or of its source may have changed."""
        source = body.settings.source
        return body.owner.data.name in self.dirty or (source is not None and source.data.name in self.dirty)


class Stage(engine.Stage):
    """The sessions of movers of a file.

    Args:
        solvers: Those to use instead of the chains' own, by the movers' keys.
    """

    def __init__(self, solvers: dict[Key, str] | None = None) -> None:
        super().__init__()
        self.solvers = solvers or {}
        self.dirty: set[str] = set()

    def empty(self) -> "Stage":
        other = Stage(self.solvers)
        other.dirty = set(self.dirty)
        return other

    def session(self, owner, settings) -> SceneSession:
        """What is known of a mover, by its owner object and its settings."""
        found = self.sessions.get((owner.session_uid, settings.uid))
        return found if found is not None else self.of(mover_of(owner, settings))

    def mark_postures_dirty(self) -> None:
        """A stored posture may have changed: read it again at the next tick."""
        for session in self.sessions.values():
            session.mark_postures_dirty()

    def mark_dirty(self, armature_name: str) -> None:
        """Bones of an armature may have changed: read them again at the next tick."""
        self.dirty.add(armature_name)

    @in_one_thread
    def advance(self, movers: Sequence[tuple], depsgraph, dt: float, ahead: Mapping[Key, Sequence[GazeGoal]] | None = None) -> None:
        """One tick of movers, or of pairs of an object and settings. The outcome is in their sessions. Reads only what the depsgraph has
        evaluated.

        Bodies that follow a motion come first: what they do is the pose that chains on them warp.

        `ahead` has the goals of the next frames of chains for which they are known.
        """
        self.tick(in_one_order(movers), SceneHost(self, depsgraph), dt, ahead or {})
        self.dirty.clear()

    def has_changed(self, movers: Sequence[tuple], depsgraph) -> bool:
        """Whether there is something new to follow, or a set-up became right or wrong, since the last tick; or something was left on its
        way, as live is that is undone and redone."""
        return super().has_changed(in_one_order(movers), SceneHost(self, depsgraph))

    def is_at_rest(self, movers: Sequence[tuple]) -> bool:
        return super().is_at_rest([mover_of(*mover) for mover in movers])

    def placement(self, movers: Sequence[tuple], depsgraph) -> Placement:
        """Where things are with the newest poses, as far as they were solved."""
        return self.view(in_one_order(movers), SceneHost(self, depsgraph))


def in_one_order(movers: Sequence[tuple]) -> list[Mover]:
    """Movers in one order, however they were found."""
    return sorted((mover_of(*mover) for mover in movers), key=lambda mover: (mover.rank, mover.owner.name_full, mover.settings.name))
