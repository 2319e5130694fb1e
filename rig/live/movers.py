"""The kinds of movers in a Blender scene (chains, bodies that follow a motion, mechanisms), and functions to
find movers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import bpy

from ...solvers.table import SOLVERS
from ..blender.selection import selected
from ..bodies import pairing
from ..bones import axes, channels, mimic
from ..bones.channels import Channel
from ..bones.moving_bones import moved_bones
from ..mechanisms import assembled, inputs
from ..mechanisms.conflicts import refuse_taken
from ..mechanisms.owners import own_identity
from ..mechanisms.starts import note_values
from ..properties.body import LimberRetarget
from ..properties.chains import LimberChain
from ..properties.mechanism import LimberMechanism
from ..scene.dependencies import (
    NO_BODIES,
    Bodies,
    Dependencies,
    MovedParts,
    followers,
    joint_bones,
    leaders_of,
    moved_by,
    moved_part,
    supports,
)
from ..scene.goal import followed
from ..scene.placement import BoneFrame, Placement
from .body_session import BodySession
from .chain_session import ChainSession
from .lids import lid_bones
from .mechanism_session import MechanismSession
from .mover import Authored, JointKey, Mover
from .posture_keeper import BoneJoints, BonePostures, MotorPostures
from .session import SceneSession
from .shown_pose import ShownPose


class ChainMover(BonePostures, Mover):
    """Mover: a chain of an armature."""

    __slots__ = ()
    settings_type = LimberChain
    session_type = ChainSession
    rank = 1
    looks_forward = True

    @staticmethod
    def settings_on(owner: bpy.types.Object) -> list[LimberChain]:
        return list(owner.limber.chains) if owner.type == "ARMATURE" else []

    @classmethod
    def chosen_on(cls, owner: bpy.types.Object) -> LimberChain | None:
        """The selected chain of an armature; None if there is none."""
        return selected(cls.settings_on(owner), owner.limber.active_chain)

    def moved(self, session: ChainSession) -> MovedParts:
        return self.moves

    def needs(
        self, session: SceneSession, moved: Sequence[MovedParts], index: int, objects: Dependencies
    ) -> list[int]:
        return [k for k in leaders_of(self, moved, objects) if k != index]

    def write_pose(self, placement: Placement, pose: Mapping) -> None:
        super().write_pose(placement, pose)
        if isinstance(pose, ShownPose):
            key, frames = self.key, pose.bone_frames.items()
            placement.move_chain(
                self.owner,
                {bone: BoneFrame(key, pose.chain, joint, in_joint) for bone, (joint, in_joint) in frames},
            )

    def bones(self, session: SceneSession) -> Iterable[str]:
        return super().bones(session) or joint_bones(self.settings)

    @property
    def shown_bones(self) -> list[str]:
        return [
            *(joint.bone for joint in self.settings.joints),
            *(follower.bone for follower in followers(self.settings)),
            *(lid_bones(self.settings) if self.settings.eyes.enabled else ()),
        ]

    @property
    def label(self) -> str:
        return f"Chain '{self.settings.name}'"

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def long_label(self) -> str:
        return f"{self.label} of '{self.owner.name}'"

    @property
    def has_goal(self) -> bool:
        return followed(self.settings) is not None

    @property
    def bakes_when_off(self) -> bool:
        return self.has_goal and not self.owner.limber.retarget.live

    @property
    def horizon(self) -> float:
        info = SOLVERS.get(self.settings.solver)
        return info.looks_ahead if info else 0.0

    @property
    def moves(self) -> MovedParts:
        """The bones that the chain's joints move."""
        return moved_by(self.settings)

    def part_moved_by(self, other: Mover) -> str:
        return moved_part(self, other.moves, supports(self, Dependencies()))

    def links(self, session: SceneSession) -> list[str]:
        return moved_bones(*self)

    def joints(self) -> list:
        return list(self.settings.joints)


class BodyMover(BoneJoints, Mover):
    """Mover: the body of an armature, which follows another armature or a stream."""

    __slots__ = ()
    settings_type = LimberRetarget
    session_type = BodySession
    has_servos = False

    @staticmethod
    def settings_on(owner: bpy.types.Object) -> list[LimberRetarget]:
        body = owner.limber.retarget
        return [body] if owner.type == "ARMATURE" and (body.live or body.pairs) else []

    @classmethod
    def chosen_on(cls, owner: bpy.types.Object) -> LimberRetarget | None:
        """Settings of the body if it has a source armature or bone pairs, or is live; None otherwise."""
        if owner.type == "ARMATURE" and owner.limber.retarget.source is not None:
            return owner.limber.retarget
        return super().chosen_on(owner)

    def moved(self, session: SceneSession) -> MovedParts:
        return MovedParts()  # empty: the body comes before the chains that modify its motion

    def write_pose(self, placement: Placement, pose: Mapping) -> None:
        placement.move(self.owner, pose, getattr(pose, "frames", {}))

    @property
    def shown_bones(self) -> list[str]:
        return [*pairing.bones(self.owner, self.settings), *(bone for bone, _ in mimic.driven(self.owner))]

    @property
    def label(self) -> str:
        return f"Body of '{self.owner.name}'"

    @property
    def has_goal(self) -> bool:
        return bool(self.settings.pairs)

    @property
    def bakes_with(self) -> list[Mover]:
        return [ChainMover(self.owner, chain) for chain in self.owner.limber.chains if chain.live]

    @property
    def why_no_postures(self) -> str:
        return (
            f"{self.label} keeps no postures, since it follows a motion: make a chain of its bones, and store"
            " postures of that"
        )

    def links(self, session: SceneSession) -> list[str]:
        return session.reader.names

    def joints(self) -> list:
        return []

    @property
    def posed_keys(self) -> list[JointKey]:
        driven = set(mimic.driven(self.owner))
        bones = [name for name in pairing.bones(self.owner, self.settings) if name in self.owner.pose.bones]
        return [key for name in bones for axis in axes.REVOLUTE if (key := (name, axis)) not in driven]


class MechanismMover(MotorPostures, Mover):
    """Mover: the mechanism of an object."""

    __slots__ = ()
    settings_type = LimberMechanism
    session_type = MechanismSession
    rank = 2

    @staticmethod
    def settings_on(owner: bpy.types.Object) -> list[LimberMechanism]:
        return [owner.limber.mechanism] if owner.limber.mechanism.uid else []

    def moved(self, session: SceneSession) -> MovedParts:
        return MovedParts(bodies=self.bodies(session))

    def needs(
        self, session: SceneSession, moved: Sequence[MovedParts], index: int, objects: Dependencies
    ) -> list[int]:
        if session.assembled is None:
            return []
        leaders = inputs.leaders(*self, session.assembled.reading, objects)
        return [k for k, other in enumerate(moved) if any(map(other.moves, leaders))]

    def write_pose(self, placement: Placement, pose: Mapping) -> None:
        placement.carry(pose)

    def bodies(self, session: SceneSession) -> Bodies:
        session.take_up(*self)
        return session.assembled.bodies if session.assembled is not None else NO_BODIES

    def bones(self, session: SceneSession) -> Iterable[str]:
        return ()

    @property
    def label(self) -> str:
        return f"Mechanism '{self.owner.name}'"

    @property
    def is_on_rig(self) -> bool:
        return False

    def own_identity(self) -> None:
        own_identity(self.owner)

    def make_ready(self, as_authored: Authored) -> None:
        refuse_taken(self.owner)
        with as_authored() as depsgraph:
            mechanism = assembled.prepare(self.owner, depsgraph)
        assembled.store(self.owner, mechanism)
        note_values(self.owner, mechanism.model.solver, mechanism.model.rest)

    def links(self, session: SceneSession) -> list[str]:
        return [part.bone for part in session.reading.parts if part.role == "MOVES" and part.bone]

    def unmeasured(self, session: SceneSession) -> str:
        if len(self.links(session)) == sum(part.role == "MOVES" for part in session.reading.parts):
            return ""
        return (
            f"No-go zones are measured against bones: those bodies of {self.long_label} that are objects were"
            " not looked at"
        )

    def joint_label(self, key: JointKey) -> str:
        return next((motor.name for motor in self.settings.motors if motor.key == key), "")

    def joints(self) -> list:
        return list(self.settings.motors)

    def posed(self, before: Callable[[], Mapping[JointKey, float]] = dict) -> dict[JointKey, float]:
        return {motor.key: motor.value for motor in self.settings.motors}

    @property
    def unsolved(self) -> dict[JointKey, float]:
        return self.posed()

    @property
    def why_no_servos(self) -> str:
        return (
            ""
            if self.settings.motors
            else f"{self.label} has no motor: select a joint and press + under Motors"
        )

    def channel(self, key: JointKey) -> Channel | None:
        keys = [motor.key for motor in self.settings.motors]
        return channels.of_motor(self.owner, keys.index(key)) if key in keys else None


KINDS: list[type[Mover]] = [BodyMover, ChainMover, MechanismMover]


def mover_of(owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> Mover:
    """The mover for a chain's, body's or mechanism's settings."""
    return next(kind for kind in KINDS if isinstance(settings, kind.settings_type))(owner, settings)


def movers_of(owner: bpy.types.Object) -> Iterator[Mover]:
    """All movers of an object: its body if it has pairs or is live; its chains and mechanism, live or not."""
    return (kind(owner, settings) for kind in KINDS for settings in kind.settings_on(owner))


def chosen_of(owner: bpy.types.Object) -> list[Mover]:
    """The selected movers of an object, at most one of a kind: its body, its selected chain, its
    mechanism.
    """
    return [kind(owner, settings) for kind in KINDS if (settings := kind.chosen_on(owner)) is not None]


def in_use(owner: bpy.types.Object) -> Mover | None:
    """The mover that operators use on an object: its selected chain, else its body, else its mechanism; None
    if the object has no mover.
    """
    return min(chosen_of(owner), key=lambda mover: not isinstance(mover, ChainMover), default=None)


def live_of(owner: bpy.types.Object) -> list[Mover]:
    """The live movers of an object."""
    return [mover for mover in movers_of(owner) if mover.is_live]
