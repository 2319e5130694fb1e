"""The content of a character file, as data classes. "The clip" is the exported frame range of the scene's
animation; clips of a behaviour's states are others.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...motion import MotionStyle
from ...solvers.kinematics.skeleton import Skeleton
from ..behaviour.data import Behaviour
from ..chain.inputs import EndInputs
from ..chain.settings import ChainSettings
from ..filtered_value import ValueFilter
from .anchors import Anchor, ChainLink
from .bodies import BodyEntry, JointRange
from .mechanisms import MechanismEntry
from .media import PackedSound
from .postures import StoredPosture
from .robots import RobotEntry
from .tracks import Array, ClipTrack

# classes for parts of a file that other modules define
__all__ = ["Anchor", "BodyEntry", "ChainLink", "MechanismEntry", "PackedSound", "RobotEntry", "StoredPosture"]


class Rate(NamedTuple):
    """Frame rate of the clip, as in Blender: fps / fps_base frames per second."""

    fps: float
    fps_base: float

    @property
    def seconds_a_frame(self) -> float:
        """Duration [s] of a frame."""
        return self.fps_base / self.fps


class FollowingEnd(NamedTuple):
    """An end of a chain with its goal, and the names of the targets that it can follow."""

    inputs: EndInputs
    targets: tuple[str, ...]


class PostureBase(NamedTuple):
    """What a chain keeps and follows in a frame, as in the tracks of `ChainEntry`."""

    base: int  # source of the posture, index in `BASES`
    posture: int  # index of the kept stored posture; -1 for none
    watch: int  # index of the target that its own end follows
    weights: tuple[float, ...]  # weight of each stored posture in a blend


@dataclass(frozen=True)
class ChainEntry:
    """A chain of a character file: its model, and its authored values in each frame of the clip.

    Attributes:
        name: Name of the chain, unique in the file.
        rig: Name of its armature.
        skeleton: The chain's joints and ends.
        solver, options: Name of its solver, and the solver's options object (None without options).
        filter_name, styles: Name of its motion filter, and the style of each joint.
        transition: Duration [s] of the transition between stored postures; 0: as fast as the joints' limits
            allow.
        ends: The chain's ends that have a goal, its own end first.
        postures: The chain's stored postures.
        base, posture, watch: Tracks () of the source of the posture (index in `BASES`), of the kept stored
            posture (index; -1 for none), and of the target that its own end follows (index).
        weights: ClipTrack (postures,) of the postures' weights in a blend.
        settings: Tracks () of the fields of `ChainSettings`; those of its groups as "life_..." and
            "eyes_...".
        authored: ClipTrack (n,) [rad; prismatic joints m] of the authored pose.
        base_frame: Its base frame, relative to the world or to another chain.
    """

    name: str
    rig: str
    skeleton: Skeleton
    solver: str
    options: object
    filter_name: str
    styles: tuple[MotionStyle, ...]
    transition: float
    ends: tuple[FollowingEnd, ...]
    postures: tuple[StoredPosture, ...]
    base: ClipTrack
    posture: ClipTrack
    watch: ClipTrack
    weights: ClipTrack
    settings: dict[str, ClipTrack]
    authored: ClipTrack
    base_frame: Anchor

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints as "ARMATURE/JOINT"."""
        return tuple(f"{self.rig}/{joint.name}" for joint in self.skeleton.joints)

    def base_at(self, frame: float) -> "PostureBase":
        """What the chain keeps and follows at a frame of the clip, counted from 0."""
        return self._still_base or self._base_at(frame)

    @cached_property
    def _still_base(self) -> "PostureBase | None":
        """What the chain keeps and follows if it is the same in every frame; None otherwise."""
        tracks = self.base, self.posture, self.watch, self.weights
        return self._base_at(0.0) if all(len(track.rows) == 1 for track in tracks) else None

    def _base_at(self, frame: float) -> "PostureBase":
        base, posture, watch = (int(track.step(frame)) for track in (self.base, self.posture, self.watch))
        return PostureBase(base, posture, watch, tuple(self.weights.at(frame).tolist()))

    def settings_at(self, frame: float) -> ChainSettings:
        """The chain's settings at a frame of the clip, counted from 0."""
        return self._still_settings or self._settings_at(frame)

    @cached_property
    def _still_settings(self) -> ChainSettings | None:
        """The chain's settings if they are the same in every frame; None otherwise."""
        is_still = all(len(track.rows) == 1 for track in self.settings.values())
        return self._settings_at(0.0) if is_still else None

    def _settings_at(self, frame: float) -> ChainSettings:
        return ChainSettings.of_numbers(
            {name: float(track.at(frame)) for name, track in self.settings.items()}
        )


class TargetEntry(NamedTuple):
    """A target of chains: its name, and its pose in each frame of the clip."""

    name: str
    anchor: Anchor


class ValueEntry(NamedTuple):
    """A value other than a joint's, such as a light's brightness: its name, its track (), its filter for a
    robot (None for none), and the chain whose lids it follows instead of the track ("" for none).
    """

    name: str
    track: ClipTrack
    filter: ValueFilter | None = None
    lids_of: str = ""


class SelfTest(NamedTuple):
    """Results that Blender computed for the first frames of the clip, which a player must reproduce.

    Attributes:
        commanded, desired: (frames, n) [rad; prismatic joints m] values of all joints, in the order of
            `CharacterFile.joint_names`, after and before the motion filter.
    """

    commanded: Array
    desired: Array


@dataclass(frozen=True)
class CharacterFile:
    """The whole content of a character file.

    Attributes:
        name: Name of the character.
        made_by: The programs that exported it, with their versions.
        engine: Digest of the engine that computed its self-test (`engine_digest`); "" for files without
            one.
        rate: Frame rate of the clip.
        first_frame, frames: Number of the clip's first frame, and number of its frames.
        chains: The chains; each comes after those on which it depends.
        targets: The targets.
        values: Values other than joints'.
        mechanisms: The mechanisms.
        bodies: The bodies that follow a motion.
        robots: The robots that follow the character.
        behaviour: What the character does on its own; None: it plays its clip.
        self_test: Results that a player must compute from the clip; None for no test.
        remarks: Sentences on parts that could not be exported, and on their replacement.
        thumbnail: PNG picture of the character in its first frame; b"" for none.
        sounds: Sounds that are played with the clip.
    """

    name: str
    made_by: str
    rate: Rate
    first_frame: int
    frames: int
    chains: tuple[ChainEntry, ...]
    targets: tuple[TargetEntry, ...]
    values: tuple[ValueEntry, ...] = ()
    mechanisms: tuple[MechanismEntry, ...] = ()
    bodies: tuple[BodyEntry, ...] = ()
    robots: tuple[RobotEntry, ...] = ()
    behaviour: Behaviour | None = None
    self_test: SelfTest | None = None
    remarks: tuple[str, ...] = ()
    engine: str = ""
    thumbnail: bytes = b""
    sounds: tuple[PackedSound, ...] = ()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints: of the chains, the mechanisms, then the bodies (without joints that a chain
        moves). This is the order of `ranges` and of the self-test's columns.
        """
        return (
            *(name for chain in self.chains for name in chain.joint_names),
            *(name for mechanism in self.mechanisms for name in mechanism.joint_names),
            *(body.joint_names[k] for body in self.bodies for k in self.columns(body)),
        )

    @property
    def ranges(self) -> tuple[JointRange, ...]:
        """Limits of all joints, in the order of `joint_names`."""
        limits = [
            *(joint for chain in self.chains for joint in chain.skeleton.joints),
            *(motor.limits for mechanism in self.mechanisms for motor in mechanism.motors),
        ]
        return (
            *(JointRange(*(getattr(each, name) for name in JointRange._fields)) for each in limits),
            *(body.ranges[k] for body in self.bodies for k in self.columns(body)),
        )

    def columns(self, body: BodyEntry) -> list[int]:
        """Indices, among the body's `joint_names`, of its joints that no chain moves, and of the values of
        its root if it floats.
        """
        chains = {name for chain in self.chains for name in chain.joint_names}
        count = len(body.joint_names) if body.body.floating else len(body.body)
        return [k for k, name in enumerate(body.joint_names[:count]) if name not in chains]
