"""Poses of all objects of a performance at one moment: the scene that its sessions read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ..character.behaviour.performer import Directed
from ..character.chain.hanging import ChainPose
from ..character.chain.inputs import Matrix
from ..character.file.contents import Anchor, BodyEntry, ChainEntry, MechanismEntry
from ..character.file.tracks import Array
from ..character.host import NoPose, SceneMover, Session
from .controls import ChainControls


@dataclass
class PlayedView:
    """Poses at one moment: current ones of chains that were ticked, authored ones of others.

    Attributes:
        moment: The moment.
        chains: Poses of chains, by their names.
    """

    moment: "Moment"
    chains: dict[Hashable, ChainPose] = field(default_factory=dict)

    def place(self, chain: Hashable, pose: ChainPose | NoPose) -> None:
        """Sets the pose of a chain, if it is known."""
        if isinstance(pose, ChainPose):
            self.chains[chain] = pose

    def world(self, anchor: Anchor) -> Array:
        """World matrix (4, 4) of an anchor."""
        relative = anchor.frame.at(self.moment.frame)
        if anchor.link is None:
            return relative
        chain, joint = anchor.link
        if chain in self.chains:
            return self.chains[chain].on(joint, relative)
        entry = self.moment.scene.chains[chain]
        base = self.world(entry.base_frame).tolist()
        authored = tuple(entry.authored.at(self.moment.frame).tolist())
        return ChainPose(base, entry.skeleton, authored).on(joint, relative)

    def target(self, name: str) -> Matrix:
        """World matrix (4, 4) of the target with this name."""
        if name in self.moment.targets:
            return self.moment.targets[name]
        matrix: Matrix = self.world(self.moment.scene.anchors[name]).tolist()
        return matrix


MoverEntry = ChainEntry | MechanismEntry | BodyEntry
Entry = TypeVar("Entry", bound=MoverEntry)


def key_of(entry: MoverEntry) -> str:
    """Key of a mover on a stage; for a chain its name, by which carried movers refer to it."""
    if isinstance(entry, ChainEntry):
        return entry.name
    return f"{'body' if isinstance(entry, BodyEntry) else 'mechanism'} {entry.name}"


@dataclass(frozen=True)
class PlayedMover(ABC, Generic[Entry]):
    """A mover of a character file, in the form that the stage takes."""

    entry: Entry
    looks_forward = False

    @property
    def key(self) -> str:
        return key_of(self.entry)

    @property
    @abstractmethod
    def anchors(self) -> list[Anchor]:
        """Anchors of its base and of its inputs."""

    @abstractmethod
    def followed(self, moment: "Moment") -> Iterator[str]:
        """Names of the targets that it follows, or may follow."""

    @abstractmethod
    def new_session(self) -> Session[PlayedView, ChainPose]: ...

    def place(self, view: PlayedView, pose: ChainPose | NoPose) -> None:
        view.place(self.key, pose)


@dataclass(frozen=True)
class PlayedScene:
    """Content of a character file for its performance: chains by name, anchors of targets by name, and movers
    by key.
    """

    chains: Mapping[str, ChainEntry]
    anchors: Mapping[str, Anchor]
    movers: Mapping[Hashable, PlayedMover[Any]]


@dataclass(frozen=True)
class Moment:
    """A moment of a performance, which is the stage's host.

    Attributes:
        frame: Frame of the clip, counted from 0, with its fraction.
        seconds: Scene time [s].
        scene: Content of the file.
        targets: World matrices of targets that somebody moves, in place of those of the clip.
        controls: Values set on the chains, by their names.
        direct: Function that applies the behaviour to a chain's clip, given the chain's name and the index of
            the stored posture that it keeps; None without a behaviour.
    """

    frame: float
    seconds: float
    scene: PlayedScene
    targets: Mapping[str, Matrix]
    controls: Mapping[str, ChainControls]
    direct: Callable[[str, Directed, int], Directed] | None

    def needs(
        self, movers: Sequence[SceneMover[PlayedView, ChainPose]], certain: bool = False
    ) -> list[list[int]]:
        indices = {mover.key: k for k, mover in enumerate(movers)}
        needs = []
        for key in indices:
            played = self.scene.movers[key]
            anchors = [*played.anchors, *map(self._anchor, played.followed(self))]
            links = [anchor.link for anchor in anchors if anchor is not None]
            chains = {link.chain for link in links if link is not None}
            needs.append(sorted(indices[chain] for chain in chains - {key}))
        return needs

    def view(
        self,
        poses: Sequence[
            tuple[SceneMover[PlayedView, ChainPose], Session[PlayedView, ChainPose], ChainPose | NoPose]
        ],
    ) -> PlayedView:
        view = PlayedView(self)
        for mover, _, pose in poses:
            view.place(mover.key, pose)
        return view

    def _anchor(self, target: str) -> Anchor | None:
        """Anchor of a target in the clip; None if somebody moves it."""
        return None if target in self.targets else self.scene.anchors[target]
